/* SPDX-License-Identifier: MIT
 *
 * The kernels that a user names: images, kernel trees and other directories with an image, each with a label or without
 * one. */
#ifndef VM_KERNEL_KERNEL_CHOICE_H
#define VM_KERNEL_KERNEL_CHOICE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#define SET_NAME_SIZE 80

struct kernel_choice {
	char label[65];          /* "": none was given */
	char image[PATH_MAX];    /* bzImage or vmlinux */
	char set[SET_NAME_SIZE]; /* after kernel_choices_name(): the name of its set of runs */
};

/* Parses [LABEL=]IMAGE or [LABEL=]DIR. An argument that exists is a path, even with '='. Otherwise the text before
 * the first '=' is a label, if it has no slash. STATUS_USAGE for a label that cannot name a directory of runs; errors
 * of kernel_image_find(). */
enum status kernel_choice_parse(const char *argument, struct kernel_choice *choice, struct error *err);

/* Parses all arguments; without any, the only choice is the kernel tree of the working directory. choices has space for
 * one at least. STATUS_USAGE also for two equal labels, and if the working directory is no kernel tree. */
enum status kernel_choices_parse(const char *const *arguments, size_t count, struct kernel_choice *choices,
				 struct error *err);

/* Fills image (PATH_MAX bytes) with path, or if that is a directory with the only kernel image in it:
 *   arch/x86/boot/bzImage                                 a kernel tree or its build directory
 *   vmlinuz*, boot/vmlinuz*, [usr/]lib/modules/R/vmlinuz  what picknext fetch, dpkg-deb -x and make install write
 * ~/ at its beginning stands for HOME.
 * A path that does not exist may name a kernel that picknext fetch got into the cache: 6.12, 6.12-cloud-amd64, sid.
 * A path that is no directory is not looked at. STATUS_SYSTEM if the directory has none, STATUS_USAGE if it has
 * several; both errors have a remedy. */
enum status kernel_image_find(const char *path, char *image, struct error *err);

/* Names the fetched kernels, in order of their versions. */
void kernel_fetched_list(void (*name)(void *context, const char *name), void *context);

/* The name of a fetched kernel's image for -k, such as "6.12". False if the image was not fetched, or if its directory
 * has several. */
bool kernel_fetched_name(const char *image, char *name, size_t size);

/* True for the root of Linux' source, or a directory that was built from it with make O=. */
bool kernel_tree_is(const char *directory);

/* The tree in which an image was built, and its source; false if it is no built tree. */
bool kernel_tree_of(const char *image, char tree[PATH_MAX], char source[PATH_MAX]);

/* True if text can name a set: a safe release (kernel_image.h), and no name that has another meaning in DIR. */
bool set_name_is_safe(const char *text);

/* Names the sets: by label, else by the kernel's release, or RELEASE-2, RELEASE-3 and so on if another set has that
 * name, or if that name has another meaning in DIR. */
void kernel_choices_name(struct kernel_choice *choices, const char *const *releases, size_t count);

#endif
