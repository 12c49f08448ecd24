"""Short names for the files of allowed folders.

Short names hide the server's paths from visitors.

A file's name is its path within an allowed folder, prefixed with the folder's name if there
are several. Any other file in the results of a run is shown as the name of its folder and its own
name. Names become paths in requests (`full`), and paths become names in every response of the API.
Responses are rewritten as they are sent, so that no path is missed.
"""

import html
import json
import re
from collections.abc import Iterable
from pathlib import Path

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

TEXTS = ("application/json", "text/", "image/svg+xml")
RECORDS = "/api/runs"
PART = rb"[^\s\"'/,()@<&\\\\]+"
ELSEWHERE = re.compile(rb"(?<=[a-z]:)/(?:%b/)*(?=%b/%b(?!/))" % (PART, PART, PART))
"""The start of a path in a spec, up to the last folder."""


class ShortNames:
    """The short names of the files in some folders.

    Args:
        folders: The allowed folders, with links resolved.
    """

    def __init__(self, folders: Iterable[Path]) -> None:
        known = [folder for folder in folders if folder != Path(folder.anchor)]
        self._labels = {_label(folder, known): folder for folder in known}
        names = [(f"{folder}/", f"{label}/" if label else "") for label, folder in self._labels.items()]
        self._shown = {
            written(path).encode(): written(name).encode()
            for path, name in sorted(names, key=lambda one: -len(one[0]))
            for written in (str, _in_json, html.escape)
        }

    def full(self, text: str, files: Iterable[str]) -> str:
        """Return a spec with the names of its files replaced by paths.

        Other names are unchanged.
        """
        for file in set(files):
            path = self._path(file)
            if path is not None:
                name = rf"(?<![\w./-]){re.escape(file)}(?![\w/-])"
                text = re.sub(name, str(path).replace("\\", r"\\"), text)
        return text

    def _path(self, name: str) -> Path | None:
        if Path(name).is_absolute():
            return None
        for label, folder in self._labels.items():
            inside = name.removeprefix(f"{label}/") if label else name
            if (inside != name or not label) and (folder / inside).is_file():
                return folder / inside
        return None

    def shown(self, text: bytes, is_record: bool = False) -> bytes:
        """Return a response with short names in place of paths.

        In a run's results, the paths of files outside the folders are shortened, too.
        """
        for path, name in self._shown.items():
            text = text.replace(path, name)
        return ELSEWHERE.sub(b"", text) if is_record else text


def _label(folder: Path, folders: list[Path]) -> str:
    """Return the prefix for a folder's files.

    The prefix is empty if there is only one folder, and numbered if the folder's name is not
    unique.
    """
    if len(folders) == 1:
        return ""
    alike = [other for other in folders if other.name == folder.name]
    place = alike.index(folder)
    return folder.name if place == 0 else f"{folder.name}-{place + 1}"


def _in_json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


class Shortened:
    """Middleware that replaces paths with short names in the API's responses.

    Args:
        app: The application.
        names: The names of the files in the allowed folders.
    """

    def __init__(self, app: ASGIApp, names: ShortNames) -> None:
        self._app, self._names = app, names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        is_record = scope["type"] != "lifespan" and scope["path"].startswith(RECORDS)
        if scope["type"] == "http" and scope["path"].startswith("/api/"):
            send = self._rewrite_response(send, is_record)
        elif scope["type"] == "websocket":
            send = self._rewrite_socket(send, is_record)
        await self._app(scope, receive, send)

    def _rewrite_socket(self, send: Send, is_record: bool) -> Send:
        async def rewriting(message: Message) -> None:
            if message.get("text"):
                shown = self._names.shown(message["text"].encode(), is_record)
                message = {**message, "text": shown.decode()}
            await send(message)

        return rewriting

    def _rewrite_response(self, send: Send, is_record: bool) -> Send:
        """Collect each text response, and send it in one piece.

        A path may be split between two parts of a response, and replacing it changes the length.
        """
        start: Message = {}
        body = bytearray()

        async def rewriting(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                is_text = headers.get("content-type", "").startswith(TEXTS)
                if is_text and "content-encoding" not in headers:  # Compressed responses already contain short names.
                    start.update(message)
                    return
            if not start or message["type"] != "http.response.body":
                await send(message)
                return
            body.extend(message.get("body", b""))
            if not message.get("more_body", False):
                shown = self._names.shown(bytes(body), is_record)
                MutableHeaders(scope=start)["content-length"] = str(len(shown))
                await send(start)
                await send({**message, "body": shown})

        return rewriting
