/* SPDX-License-Identifier: MIT
 *
 * The guests that a command boots, from its arguments: kernel sets (each kernel with each scheduler) and their
 * launches. Used by vm, and by verify, whose arguments are a recipe. */
#ifndef CMD_VM_VM_SESSION_H
#define CMD_VM_VM_SESSION_H

#include "cmd/vm/vm_options.h"
#include "runs/recipe.h"
#include "vm/kernel/kernel_choice.h"
#include "vm/launch/mode.h"
#include "vm/launch/set_schedulers.h"
#include "vm/launch/vm.h"

struct vm_set {
	struct kernel_set set;
	struct kernel_choice kernel; /* label and set are of the pair of kernel and scheduler */
	struct recipe recipe;
	struct launch *launch;
};

struct vm_session {
	struct vm_options *options;
	char *const *words;    /* arguments of the options: as given, or of a recipe */
	const char *directory; /* base of relative paths; NULL: the working directory */
	/* Repeats a recipe: does not start programs of the host that it names. */
	bool repeats;
	const char *qemu, *initramfs; /* replace those of the options; or NULL */

	struct mode mode; /* mode.why is "" if the user chose it */
	struct seed_list runs;
	size_t workload_count;
	struct set_schedulers schedulers;
	struct arguments guest_words;
	struct recipe plan;
	struct vm_set *sets;
	size_t count;
};

/* Fills the options from a recorded recipe of one kernel, in directory/vm.json. Errors name that file, not this call.
 * The recipe must outlive the options. */
enum status vm_session_parse(struct recipe *recipe, const char *directory, struct vm_options *options,
			     struct error *err);
/* Checks the options, chooses the mode and lists the sets, without opening a launch. Set options, words and directory
 * before; the other members are zeroed. Errors name the option. Close the session after errors, too. */
enum status vm_session_begin(struct vm_session *session, struct error *err);
/* Opens all launches before the first boot, so that mistakes in any of them are reported, and names the sets. */
enum status vm_session_open(struct vm_session *session, struct error *err);
void vm_session_close(struct vm_session *session);

#endif
