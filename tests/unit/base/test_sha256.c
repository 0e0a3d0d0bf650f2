/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <unistd.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/sha256.h"
#include "support/unit.h"

static const char *hash_of(const void *bytes, size_t length, size_t step)
{
	static char text[SHA256_TEXT_SIZE];
	struct sha256 hash;

	sha256_begin(&hash);
	for (size_t at = 0; at < length; at += step)
		sha256_add(&hash, (const char *)bytes + at, step < length - at ? step : length - at);
	sha256_end(&hash, text);
	return text;
}

/* The examples of FIPS 180-4 and of its test vectors. */
TEST(known_texts)
{
	static const char two_blocks[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";

	assert_string_equal(hash_of("", 0, 1), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	assert_string_equal(hash_of("abc", 3, 3), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	assert_string_equal(hash_of(two_blocks, 56, 56),
			    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(a_million_letters)
{
	static char letters[1000000];

	memset(letters, 'a', sizeof(letters));
	assert_string_equal(hash_of(letters, sizeof(letters), sizeof(letters)),
			    "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	assert_string_equal(hash_of(letters, sizeof(letters), 999),
			    "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* However it is cut; lengths around a block's, where the padding takes another one. */
TEST(pieces_do_not_matter)
{
	char bytes[200], whole[SHA256_TEXT_SIZE];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i * 7);
	for (size_t length = 50; length < sizeof(bytes); length++) {
		snprintf(whole, sizeof(whole), "%s", hash_of(bytes, length, length));
		for (size_t step = 1; step < 130; step += 3)
			assert_string_equal(hash_of(bytes, length, step), whole);
	}
}

TEST(of_a_file)
{
	char path[] = "/tmp/picknext-test-sha-XXXXXX";
	char text[SHA256_TEXT_SIZE];
	struct error err;

	close(mkstemp(path));
	assert_int_equal(sha256_file(path, text, NULL), STATUS_OK);
	assert_string_equal(text, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	assert_int_equal(file_replace(path, "abc", 3, NULL), STATUS_OK);
	assert_int_equal(sha256_file(path, text, NULL), STATUS_OK);
	assert_string_equal(text, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	unlink(path);
	assert_int_equal(sha256_file(path, text, &err), STATUS_SYSTEM);
	assert_string_equal(text, "");
}

/* Last: the signal stays. */
TEST(ends_after_a_signal)
{
	static const char zeros[3 << 20];
	char path[] = "/tmp/picknext-test-sha-XXXXXX";
	char text[SHA256_TEXT_SIZE];
	struct error err;

	close(mkstemp(path));
	assert_int_equal(file_replace(path, zeros, sizeof(zeros), NULL), STATUS_OK);
	interrupt_catch();
	raise(SIGTERM);
	assert_int_equal(sha256_file(path, text, &err), STATUS_INTERRUPTED);
	assert_string_equal(text, "");
	assert_int_equal(error_exit_code(&err), 128 + SIGTERM);
	unlink(path);
}
