"""Files of allowed folders by short names: visitors neither see nor have to know where on the server's disk they are.

A file is called by its path within the folder that the operator allows; where there are several folders, with that
folder's name before it. One elsewhere, in the record of a run, is called by its folder's name and its own. By that rule
names become paths in what is asked (`full`), and paths names in whatever the API answers: on the wire, so that nothing
that says a path can be forgotten.
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
"""The beginning of a path in a spec, up to the last folder."""


class ShortNames:
    """The names of the files in some folders.

    Args:
        folders: those that are allowed, links resolved.
    """

    def __init__(self, folders: Iterable[Path]) -> None:
        known = [folder for folder in folders if folder != Path(folder.anchor)]
        self._labels = {_label(folder, known): folder for folder in known}
        names = [
            (f"{folder}/", f"{label}/" if label else "") for label, folder in self._labels.items()
        ]
        self._shown = {
            written(path).encode(): written(name).encode()
            for path, name in sorted(names, key=lambda one: -len(one[0]))
            for written in (str, _in_json, html.escape)
        }

    def full(self, text: str, files: Iterable[str]) -> str:
        """A spec with the paths of the files that it names; what is no name of a file there stays as it is."""
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
        """What is said of files there, with their names in place of their paths; in a record, of others too."""
        for path, name in self._shown.items():
            text = text.replace(path, name)
        return ELSEWHERE.sub(b"", text) if is_record else text


def _label(folder: Path, folders: list[Path]) -> str:
    """What stands before the names of a folder's files: nothing if it is the only one, a number if its name is not."""
    if len(folders) == 1:
        return ""
    alike = [other for other in folders if other.name == folder.name]
    place = alike.index(folder)
    return folder.name if place == 0 else f"{folder.name}-{place + 1}"


def _in_json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


class Shortened:
    """Has the API say names in place of paths.

    Args:
        app: what answers.
        names: of the files in the allowed folders.
    """

    def __init__(self, app: ASGIApp, names: ShortNames) -> None:
        self._app, self._names = app, names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        is_record = scope["type"] != "lifespan" and scope["path"].startswith(RECORDS)
        if scope["type"] == "http" and scope["path"].startswith("/api/"):
            send = self._answering(send, is_record)
        elif scope["type"] == "websocket":
            send = self._talking(send, is_record)
        await self._app(scope, receive, send)

    def _talking(self, send: Send, is_record: bool) -> Send:
        async def talking(message: Message) -> None:
            if message.get("text"):
                shown = self._names.shown(message["text"].encode(), is_record)
                message = {**message, "text": shown.decode()}
            await send(message)

        return talking

    def _answering(self, send: Send, is_record: bool) -> Send:
        """Whatever is text is sent once it is whole: a path may come in two parts, and its length is another."""
        start: Message = {}
        body = bytearray()

        async def answering(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                is_text = headers.get("content-type", "").startswith(TEXTS)
                if is_text and "content-encoding" not in headers:  # compressed, it has names
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

        return answering
