/* SPDX-License-Identifier: MIT
 *
 * The kernel that a trace comes from, out of the trace's own uname. */
#ifndef FORMAT_KERNEL_NAME_H
#define FORMAT_KERNEL_NAME_H

/* Parts that are not there are "" and 0. */
struct kernel_name {
	char system[65];  /* "Linux" */
	char release[65]; /* "6.1.0-50-amd64" */
	char machine[65]; /* "x86_64" */
	unsigned int major, minor;
};

/* From "Linux 6.1.0-50-amd64 x86_64", or with a host name and more between, as trace-cmd writes it. */
void kernel_name_parse(const char *uname, struct kernel_name *name);

#endif
