/* SPDX-License-Identifier: MIT
 *
 * The probe of KVM: what its end says. */
#include "support/unit.h"
#include "vm/launch/accelerator.h"
#include "vm/launch/console.h"
#include "vm/launch/supervise.h"

/* A short boot judges KVM, or only this kernel, this moment or this host's memory. */
TEST(a_probe_says_what_lasts)
{
	static const struct {
		enum guest_end end;
		const char *console, *engine, *why;
		bool is_lasting;
	} cases[] = {
	    {GUEST_DONE, "up\n", "", "was up", true},
	    {GUEST_NOT_BOOTED, "", "", "was silent", true},
	    {GUEST_NOT_BOOTED, "Linux version\n", "", "boot-timeout", false},
	    {GUEST_PANICKED, "x\nKernel panic - not syncing: why\n", "", "Kernel panic - not syncing: why", false},
	    {GUEST_LEFT_EARLY, "", "first\nqemu: kvm: no luck\n", "QEMU ended after", false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct console console = {.file = -1}, engine_log = {.file = -1};
		const struct supervision on = {.console = &console, .engine_log = &engine_log, .end = cases[i].end};
		struct accelerator_choice choice = {0};
		bool is_lasting;
		console_add(&console, cases[i].console, strlen(cases[i].console));
		console_add(&engine_log, cases[i].engine, strlen(cases[i].engine));
		assert_int_equal(accelerator_judge(&on, &choice, &is_lasting, NULL), STATUS_OK);
		assert_int_equal(choice.accelerator, i == 0 ? ACCELERATOR_KVM : ACCELERATOR_TCG);
		assert_non_null(strstr(choice.why, cases[i].why));
		/* The last words of QEMU are for those who ask. */
		assert_null(strstr(choice.why, "luck"));
		assert_non_null(strstr(choice.why, "KVM was tried"));
		assert_int_equal(is_lasting, cases[i].is_lasting);
	}
}

TEST(a_probe_without_memory_says_nothing_of_kvm)
{
	static const char words[] = "qemu-system-x86_64: cannot set up guest memory 'pc.ram': Cannot allocate memory\n";
	struct console console = {.file = -1}, engine_log = {.file = -1};
	const struct supervision on = {.console = &console, .engine_log = &engine_log, .end = GUEST_LEFT_EARLY};
	struct accelerator_choice choice = {0};
	struct error err = {0};
	bool is_lasting;

	console_add(&engine_log, words, strlen(words));
	assert_int_equal(accelerator_judge(&on, &choice, &is_lasting, &err), STATUS_SYSTEM);
	assert_int_equal(err.errnum, ENOMEM);
	assert_false(is_lasting);
}
