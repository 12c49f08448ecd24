"""Link LLVM modules of Numba into one WebAssembly module.

The functions of a module are called by their indices in its table, which the exported array `entries` lists. A search
calls its heuristic by the index in the word before the heuristic's parameters.
"""

import importlib.util
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import llvmlite.binding as llvm

from tools.build_wasm.kernels import HOLE, Function

TRIPLE: Final = "wasm32-unknown-unknown"
FEATURES: Final = "+bulk-memory,+sign-ext,+nontrapping-fptoint,+mutable-globals"
VECTORS: Final = "+simd128"
RUNTIME: Final = Path(__file__).with_name("runtime.ll")
EXPORTS: Final = tuple(f"isolarium_{name}" for name in ("choose", "winloss", "distance", "value"))
SHIFT: Final = "__lshrti3"
STACK_BYTES: Final = 1 << 16
MOST_BYTES: Final = 256 << 20
"""The maximum memory of a module: each of a page's workers has one, also on phones."""
_CHANGES: Final = (
    (re.compile(r'target triple = ".*"'), f'target triple = "{TRIPLE}"'),
    (re.compile(r"= common (local_unnamed_addr )?global"), "= internal global"),
    # A count of references as an instruction of x86; the runtime has its own.
    (re.compile(r"^define linkonce_odr void @NRT_decref\(.*?^}", re.M | re.S), "declare void @NRT_decref(ptr)"),
)


def link(functions: Sequence[Function], *, vectors: bool = True) -> bytes:
    """Return the WebAssembly module of the functions, with or without vector instructions."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    features = f"{VECTORS},{FEATURES}" if vectors else FEATURES
    machine = llvm.Target.from_triple(TRIPLE).create_target_machine(opt=3, features=features)
    head = f'target datalayout = "{machine.target_data}"\ntarget triple = "{TRIPLE}"\n'
    whole = llvm.parse_assembly(head + RUNTIME.read_text(encoding="utf-8"))
    symbols = {each.name: f"function_{place}" for place, each in enumerate(functions)}
    hole = ""
    for function in functions:
        text = _text(function, symbols[function.name], machine)
        hole = hole or _declaration(text)
        search, _, heuristic = function.name.partition(":")
        if search and heuristic:
            text = text.replace(f"@{HOLE}(", f"@{symbols[f':{heuristic}']}(")
        whole.link_in(_only(llvm.parse_assembly(text), symbols[function.name]))
    whole.link_in(llvm.parse_assembly(head + _hole(hole) + _entries(symbols.values())))
    whole.verify()
    _optimise(whole, machine)
    return _linked(machine.emit_object(whole))


def _text(function: Function, name: str, machine: Any) -> str:
    text = str(function.module).replace(function.symbol, name)
    for pattern, new in _CHANGES:
        text = pattern.sub(new, text)
    return re.sub(r'target datalayout = ".*"', f'target datalayout = "{machine.target_data}"', text)


def _only(module: Any, name: str) -> Any:
    """Hide all functions but one, whose name other modules may also use."""
    for function in module.functions:
        if not function.is_declaration:
            function.linkage = "external" if function.name == name else "internal"
    return module


def _declaration(text: str) -> str:
    """Return the types of the hole's arguments, or nothing if the module has no hole."""
    found = re.search(rf"^declare i32 @{HOLE}\((.*?)\)", text, re.MULTILINE)
    return found[1] if found else ""


def _hole(types: str) -> str:
    """Return the function that calls a heuristic by the word before its parameters."""
    kinds = types.split(", ")
    taken = ", ".join(f"{kind} %{place}" for place, kind in enumerate(kinds))
    parameters = len(kinds) - 3
    return f"""
        define i32 @{HOLE}({taken}) alwaysinline {{
            %before = sub i64 %{parameters}, 8
            %place = inttoptr i64 %before to ptr
            %word = load i32, ptr %place, align 8, !invariant.load !0
            %function = inttoptr i32 %word to ptr
            %status = call i32 %function({taken})
            ret i32 %status
        }}
        !0 = !{{}}
    """


def _entries(symbols: Iterable[str]) -> str:
    """Return the array of the functions' indices."""
    names = list(symbols)
    declared = "".join(f"declare i32 @{name}(...)\n" for name in names)
    values = ", ".join(f"ptr @{name}" for name in names)
    return f"@entries = constant [{len(names)} x ptr] [{values}]\n{declared}"


def _optimise(module: Any, machine: Any) -> None:
    for function in module.functions:
        if not function.is_declaration and function.name not in (*EXPORTS, SHIFT):
            function.linkage = "internal"
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.inlining_threshold = 100
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)


def _linked(content: bytes) -> bytes:
    """Return the module that wasm-ld makes of an object file."""
    exports = [f"--export={name}" for name in ("entries", "__heap_base", *EXPORTS)]
    options = ["--no-entry", "--export-table", "--gc-sections", "--strip-all", "--stack-first", "-O3"]
    with TemporaryDirectory() as folder:
        source, target = Path(folder, "module.o"), Path(folder, "module.wasm")
        source.write_bytes(content)
        sizes = [f"-zstack-size={STACK_BYTES}", f"--max-memory={MOST_BYTES}"]
        command = [*linker(), *options, *sizes, *exports, str(source), "-o", str(target)]
        subprocess.run(command, check=True)
        return target.read_bytes()


def linker() -> list[str]:
    """Return the command of LLVM's linker for WebAssembly.

    It is in Debian's package `lld`, and part of `ziglang`, which pip installs.
    """
    if found := shutil.which("wasm-ld"):
        return [found]
    if importlib.util.find_spec("ziglang"):
        return [sys.executable, "-m", "ziglang", "wasm-ld"]
    raise SystemExit("no wasm-ld; install it: apt install lld, or pip install ziglang")
