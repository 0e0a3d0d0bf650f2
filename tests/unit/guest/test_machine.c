/* SPDX-License-Identifier: MIT
 *
 * Which clocks of a guest need no warning. */
#include "guest/machine.h"
#include "support/unit.h"

TEST(clocks)
{
	char name[64] = "";

	assert_true(guest_clock_is_exact("tsc"));
	assert_true(guest_clock_is_exact("tsc-early"));
	assert_true(guest_clock_is_exact("kvm-clock"));
	assert_false(guest_clock_is_exact("hpet"));
	assert_false(guest_clock_is_exact("acpi_pm"));
	assert_false(guest_clock_is_exact("unknown"));
	guest_clock_read(name, sizeof(name));
	assert_true(name[0]);
}
