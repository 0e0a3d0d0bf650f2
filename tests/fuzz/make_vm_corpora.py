#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the corpora of fuzz_kernel_image, fuzz_modinfo, fuzz_device_tree, fuzz_transfer and fuzz_guest_lines: the recipes of those files.

good-, bad- and unsupported- say what the parser makes of each."""
import os
import struct

CORPUS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus")


def write(target, name, data):
    os.makedirs(os.path.join(CORPUS, target), exist_ok=True)
    with open(os.path.join(CORPUS, target, name), "wb") as file:
        file.write(data)


def bzimage(version=b"6.1.0-50-amd64 (x) #1\0", protocol=0x20F, flags=1, payload=(64, 16), magic=b"\xfd7zXZ\0"):
    """One setup sector; the version text lies in it, the payload behind it."""
    image = bytearray(1024 + 128)
    image[0x1F1] = 1
    struct.pack_into("<H", image, 0x1FE, 0xAA55)
    image[0x202:0x206] = b"HdrS"
    struct.pack_into("<H", image, 0x206, protocol)
    struct.pack_into("<H", image, 0x20E, 0x100)
    struct.pack_into("<H", image, 0x236, flags)
    struct.pack_into("<II", image, 0x248, *payload)
    image[0x300 : 0x300 + len(version)] = version
    image[1024 + 64 : 1024 + 64 + len(magic)] = magic
    return bytes(image)


def elf(kind, machine=62, tail=b""):
    head = bytearray(64)
    head[0:7] = b"\x7fELF\2\1\1"
    struct.pack_into("<HH", head, 16, kind, machine)
    return bytes(head) + tail


def module(info, names=b"\0.modinfo\0.shstrtab\0", offset=None, length=None, count=3):
    """An ELF object with sections: none, .modinfo, .shstrtab."""
    at_names = 64 + 3 * 64
    at_info = at_names + len(names)
    sections = bytes(64)
    for name, kind, where, size in (
        (1, 1, at_info if offset is None else offset, len(info) if length is None else length),
        (10, 3, at_names, len(names)),
    ):
        sections += struct.pack("<IIQQQQIIQQ", name, kind, 0, 0, where, size, 0, 0, 1, 0)
    head = bytearray(elf(1))
    struct.pack_into("<Q", head, 40, 64)
    struct.pack_into("<HHH", head, 58, 64, count, 2)
    return bytes(head) + sections + names + info


def program(needed=(b"libc.so.6",), interpreter=b"/lib64/ld-linux-x86-64.so.2\0", names_length=None, kind=3, tags=()):
    """An ELF program with three program headers: its interpreter, all of it loaded, its dynamic section."""
    names = b"\0"
    entries = []
    for name in needed:
        entries.append((1, len(names)))
        names += name + b"\0"
    for tag, name in tags:
        entries.append((tag, len(names)))
        names += name + b"\0"
    at_interpreter = 64 + 3 * 56
    at_names = at_interpreter + len(interpreter)
    at_dynamic = at_names + len(names)
    entries += [(5, 0x400000 + at_names), (10, len(names) if names_length is None else names_length), (0, 0)]
    dynamic = b"".join(struct.pack("<qQ", *entry) for entry in entries)
    end = at_dynamic + len(dynamic)
    headers = b""
    for part, at, length in ((3, at_interpreter, len(interpreter)), (1, 0, end), (2, at_dynamic, len(dynamic))):
        headers += struct.pack("<IIQQQQQQ", part, 4, at, 0x400000 + at, at, length, length, 8)
    head = bytearray(elf(kind))
    struct.pack_into("<Q", head, 32, 64)
    struct.pack_into("<HH", head, 54, 56, 3)
    return bytes(head) + headers + interpreter + names + dynamic


def device_tree(cpus, size=None, reserved=0, names=b"phandle\0", end=(2, 2, 9)):
    """A root with /cpus and these CPUs."""
    cells = lambda *words: struct.pack(f">{len(words)}I", *words)
    text = lambda name: name + bytes(4 - len(name) % 4)
    nodes = cells(1) + text(b"") + cells(1) + text(b"cpus")
    for cpu in range(cpus):
        nodes += cells(1) + text(b"cpu@%d" % cpu) + cells(3, 4, 0, 0x8000 + cpu, 4, 2)
    nodes += cells(*end)
    whole = 56 + len(nodes) + len(names)
    head = (0xD00DFEED, size or whole, 56, 56 + len(nodes), 40, 17, 16, 0, len(names), len(nodes))
    return cells(*head) + cells(reserved, 0, 0, 0) + nodes + names


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def frame(name, data, size=None, checksum=None):
    return (
        b"pnfile1\n"
        + struct.pack("<I", len(name))
        + name
        + struct.pack("<Q", len(data) if size is None else size)
        + data
        + struct.pack("<I", crc32c(data) if checksum is None else checksum)
        + b"end\n"
    )


write("kernel_image", "good-bzimage-xz", bzimage())
write("kernel_image", "good-bzimage-old-protocol", bzimage(protocol=0x207))
write("kernel_image", "good-bzimage-hostile-version", bzimage(version=b"../../x\x1b[2J\0"))
write("kernel_image", "good-vmlinux", elf(2, tail=b"Linux version %s\0Linux version 6.12.0+ (me)\n\0"))
write("kernel_image", "bad-bzimage-payload-outside", bzimage(payload=(0xFFFFFFF0, 0xFFFFFFF0)))
write("kernel_image", "bad-bzimage-cut-short", bzimage()[:700])
write("kernel_image", "bad-elf-cut-short", elf(2)[:20])
write("kernel_image", "unsupported-32-bit", bzimage(flags=0))
write("kernel_image", "unsupported-module", elf(1))
write("kernel_image", "unsupported-arm64-elf", elf(2, machine=183))
write("kernel_image", "unsupported-script", b"#!/bin/sh\n")

write("modinfo", "good-two-dependencies", module(b"license=GPL\0depends=virtio,virtio_ring\0"))
write("modinfo", "good-no-depends", module(b"license=GPL\0"))
write("modinfo", "good-value-without-end", module(b"depends=virtio"))
write("modinfo", "bad-section-outside", module(b"depends=\0", offset=0xFFFFFFFFFFFFFFF0))
write("modinfo", "bad-section-too-long", module(b"depends=\0", length=0xFFFFFFFFFFFFFFFF))
write("modinfo", "bad-too-many-sections", module(b"depends=\0", count=0xFFFF))
write("modinfo", "bad-cut-short", module(b"depends=\0")[:100])

write("elf_program", "good-two-libraries", program((b"libm.so.6", b"libc.so.6")))
write("elf_program", "good-runpath", program(tags=((15, b"$ORIGIN/../lib"), (29, b"/opt/lib:/usr/lib"))))
write("elf_program", "good-static", elf(2))
write("elf_program", "bad-names-too-long", program(names_length=0xFFFFFFFFFFFFFFFF))
write("elf_program", "bad-name-outside", program(names_length=3))
write("elf_program", "bad-interpreter-without-end", program(interpreter=b"/lib/ld.so"))
write("elf_program", "bad-cut-short", program()[:200])
write("elf_program", "unsupported-object", program(kind=1))
write("elf_program", "unsupported-script", b"#!/bin/sh\n")

write("device_tree", "good-three-cpus", device_tree(3))
write("device_tree", "bad-cut-short", device_tree(3)[:120])
write("device_tree", "bad-size", device_tree(3, size=0xFFFFFFFF))
write("device_tree", "bad-name-without-end", device_tree(3, names=b"phandle"))
write("device_tree", "bad-nodes-do-not-close", device_tree(3, end=(2, 9)))
write("device_tree", "unsupported-two-cpus", device_tree(2))
write("device_tree", "unsupported-reserved-memory", device_tree(3, reserved=1))

PIECES = b"\x07"
write("transfer", "good-two-files", PIECES + frame(b"a.dat", b"pages") + frame(b"a.json", b"{}\n"))
write("transfer", "good-empty-file", PIECES + frame(b"a.dat", b""))
write("transfer", "bad-checksum", PIECES + frame(b"a.dat", b"pages", checksum=0))
write("transfer", "bad-cut-in-bytes", PIECES + frame(b"a.dat", b"pages")[:28])
write("transfer", "bad-cut-in-head", PIECES + frame(b"a.dat", b"pages")[:14])
write("transfer", "bad-name-leads-out", PIECES + frame(b"../a.dat", b"pages"))
write("transfer", "bad-name-twice", PIECES + frame(b"a.dat", b"1") + frame(b"a.dat", b"2"))
write("transfer", "bad-size", PIECES + frame(b"a.dat", b"pages", size=0xFFFFFFFFFFFFFFFF))
write("transfer", "bad-magic", PIECES + b"pnfile2\n")

write(
    "guest_lines",
    "good-a-whole-job",
    b"\x10hello 6.1.0-50-amd64\nprogress 0 2 0 io_mixed 12 -1\nsending a.dat 5\ntrace a.dat 5 0123abcd\n"
    b"note [1/2] a\nproblem it is full\ndone 28\n",
)
write("guest_lines", "bad-numbers", b"\x20progress 9 2 0 x 1 1\nprogress 1 2 0 x 99999999999999999999 nan\ndone 256\n")
write("guest_lines", "bad-bytes", b"\x03problem \x00\xff\x1b[2J\nhello ../x\n\n")
write("guest_lines", "bad-endless", b"\xff" + b"x" * 700)
