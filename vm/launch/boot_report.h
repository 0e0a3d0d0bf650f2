/* SPDX-License-Identifier: MIT
 *
 * What the process of one boot reports to the one that started it, through memory that both share. */
#ifndef VM_LAUNCH_BOOT_REPORT_H
#define VM_LAUNCH_BOOT_REPORT_H

#include <stdbool.h>

#include "base/error.h"
#include "vm/plan/boot_records.h"

struct boot_report {
	bool is_finished; /* the last to be set; false if the process died */
	enum status status;
	struct error error; /* unless STATUS_OK */
	struct boot_record record;
	char release[65];        /* from the guest's uname, or the image's version string */
	char console_tail[4096]; /* after STATUS_GUEST: last lines of the console, escaped */
	char output[4096];       /* output file of a failed command; console_tail is its tail then */
};

#endif
