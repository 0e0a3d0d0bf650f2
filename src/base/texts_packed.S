/* SPDX-License-Identifier: MIT
 *
 * What texts.c unpacks; TEXTS is the file's name. */
	.section .rodata.texts_packed, "a"
	.globl texts_packed, texts_packed_end
texts_packed:
	.incbin TEXTS
texts_packed_end:
	.section .note.GNU-stack, "", @progbits
