// An editor for Python with line numbers and colours, which marks a line with a problem: CodeMirror, loaded on demand.
//
// It is in a shadow tree, because there CodeMirror adds its styles in a way that the pages' security policy permits.

import { h } from "../shared/dom.js";

const TYPING_MS = 350; // the pause after which a text counts as typed

export class CodeEditor extends EventTarget {
  #view = null;
  #tools = null;
  #timer = 0;

  /** @param {string} text the initial text. Events: "typed", a moment after the text changed. */
  constructor(text) {
    super();
    this.initial = text;
    this.element = h("div.code", {}, h("p.small.quiet-text", {}, "Loading the editor…"));
    // The pages' own keys do not apply to text.
    this.element.addEventListener("keydown", (event) => event.stopPropagation());
  }

  get text() {
    return this.#view?.state.doc.toString() ?? this.initial;
  }

  set text(text) {
    if (this.#view) this.#view.dispatch({ changes: { from: 0, to: this.#view.state.doc.length, insert: text } });
    else this.initial = text;
  }

  /** Load CodeMirror. */
  async open() {
    const tools = await import("../vendor/codemirror.js");
    const root = this.element.attachShadow({ mode: "open" });
    const parent = document.createElement("div");
    root.append(parent);
    this.#tools = tools;
    this.#view = new tools.EditorView({ root, parent, doc: this.initial, extensions: this.#extensions(tools) });
  }

  #extensions(tools) {
    const { EditorView, keymap, tags } = tools;
    const changed = EditorView.updateListener.of(({ docChanged }) => docChanged && this.#type());
    const colours = tools.HighlightStyle.define([
      { tag: [tags.keyword, tags.operatorKeyword], color: "var(--second-ink)" },
      { tag: [tags.string, tags.docString], color: "var(--good)" },
      { tag: tags.comment, color: "var(--muted)", fontStyle: "italic" },
      { tag: [tags.number, tags.bool, tags.null], color: "var(--bad)" },
      { tag: [tags.definition(tags.variableName), tags.definition(tags.function(tags.variableName)), tags.meta], color: "var(--first-ink)" },
    ]);
    return [
      tools.lineNumbers(),
      tools.lintGutter(),
      tools.history(),
      tools.drawSelection(),
      tools.highlightActiveLine(),
      tools.bracketMatching(),
      tools.indentOnInput(),
      tools.indentUnit.of("    "),
      tools.python(),
      tools.syntaxHighlighting(colours),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ "aria-label": "Heuristic in Python" }),
      EditorView.theme(THEME),
      EditorView.domEventHandlers({ beforeinput: replaceSelected }),
      keymap.of([tools.indentWithTab, ...tools.defaultKeymap, ...tools.historyKeymap]),
      changed,
    ];
  }

  #type() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.dispatchEvent(new Event("typed")), TYPING_MS);
  }

  /** Mark the line of a problem; null removes the mark. */
  mark(problem) {
    if (!this.#view) return;
    const { doc } = this.#view.state;
    const found = [];
    if (problem?.line && problem.line <= doc.lines) {
      const { from, to } = doc.line(problem.line);
      found.push({ from, to, severity: problem.error ? "error" : "warning", message: problem.message });
    }
    this.#view.dispatch(this.#tools.setDiagnostics(this.#view.state, found));
  }
}

/** Replace selected text here: Chrome would copy its style into the text, which the security policy forbids. */
function replaceSelected(event, view) {
  const { main } = view.state.selection;
  if (event.inputType !== "insertText" || !event.data || main.empty || view.composing) return false;
  event.preventDefault();
  view.dispatch({ ...view.state.replaceSelection(event.data), userEvent: "input.type", scrollIntoView: true });
  return true;
}

const THEME = {
  "&": { color: "var(--ink)", backgroundColor: "var(--surface)", fontSize: "0.875rem", height: "100%" },
  "&.cm-focused": { outline: "2px solid var(--link)", outlineOffset: "1px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5", minHeight: "var(--code-height)" },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { minHeight: "var(--code-height)", backgroundColor: "var(--sunk)", color: "var(--muted)", border: "0" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "color-mix(in oklab, var(--first-tint) 45%, transparent)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "color-mix(in oklab, var(--first) 35%, transparent)",
  },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--first-tint)", outline: "1px solid var(--line)" },
  ".cm-tooltip": { backgroundColor: "var(--surface)", color: "var(--ink)", border: "1px solid var(--line)" },
};
