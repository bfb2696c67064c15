"""lxml reads a feed of records piece by piece: the tree of all that was read stays, or each record goes when it is done."""
import random
import sys
import time

from lxml import etree

random.seed(1)
SECONDS, RATE = 45, 60


class Feed:
    """What a socket gives: as many records as are due by now."""

    def __init__(self):
        self.began, self.sent = time.monotonic(), -1

    def read(self, size=-1):
        if self.sent < 0:
            self.sent = 0
            return b"<feed>"
        time.sleep(0.1)
        elapsed = time.monotonic() - self.began
        if elapsed > SECONDS:
            return b"" if self.sent < 0 else self.end()
        due = int(elapsed * RATE)
        records = b"".join(self.record(number) for number in range(self.sent, due))
        self.sent = due
        return records or b" "

    def end(self):
        self.read = lambda size=-1: b""
        return b"</feed>"

    def record(self, number):
        fields = "".join(f"<f n='{i}'>{random.getrandbits(80):020x}</f>" for i in range(40))
        return f"<record id='{number}'>{fields}</record>".encode()


seen = total = 0
for _, record in etree.iterparse(Feed(), tag="record"):
    total += sum(len(field.text) for field in record)
    seen += 1
    if sys.argv[1] == "cleared":
        record.clear()
        while record.getprevious() is not None:
            del record.getparent()[0]
print("records", seen, "characters", total)
