"""Certificates whose packing is whole and whose strategy is not."""

import zlib
from pathlib import Path

*head, packed = Path("proof").read_bytes().split(b"\n", 4)
replies = zlib.decompress(packed)
start = b"\n".join(head) + b"\n"
Path("short").write_bytes(start + zlib.compress(replies[:-1]))
Path("long").write_bytes(start + zlib.compress(replies + b"\0"))
Path("damaged").write_bytes(start + packed[:9] + b"\xff\xff" + packed[11:])
over = b"isolarium certificate 1\nAxx/xxx/xxB b\nb wins\n0 replies\n"
Path("lost").write_bytes(over + zlib.compress(b""))
