/* SPDX-License-Identifier: MIT
 *
 * Known draws of CPython 3.11: python3 -c 'import random; random.seed(S); print(random.getrandbits(32))' */
#include "data/python_random.h"
#include "support/unit.h"

TEST(words_are_pythons)
{
	static const struct {
		int64_t seed;
		uint32_t first, second, last_of_block, first_of_next, thousandth;
	} known[] = {
	    {0, 3626764237u, 1654615998u, 2390040247u, 2229104038u, 2971151651u},
	    {1, 577090037u, 2444712010u, 802355090u, 1360367077u, 1877627338u},
	    {42, 2746317213u, 478163327u, 2929454134u, 1071722055u, 4212168831u},
	    {-42, 2746317213u, 478163327u, 2929454134u, 1071722055u, 4212168831u},
	    {4294967295, 2728839433u, 2661025012u, 2365591444u, 2143983266u, 3614058829u},
	    {4294967296, 485306839u, 1508871100u, 1921684606u, 2208258976u, 6718883u},
	    {9223372036854775807, 1359979423u, 2819855560u, 1297211823u, 2453492099u, 408401363u},
	    {INT64_MIN, 2377109768u, 1691753470u, 3239629188u, 346131666u, 3569976616u},
	};

	for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++) {
		struct python_random random;
		uint32_t words[1000];
		python_random_seed(&random, known[k].seed);
		for (size_t i = 0; i < 1000; i++)
			words[i] = python_random_word(&random);
		assert_int_equal(words[0], known[k].first);
		assert_int_equal(words[1], known[k].second);
		assert_int_equal(words[623], known[k].last_of_block);
		assert_int_equal(words[624], known[k].first_of_next);
		assert_int_equal(words[999], known[k].thousandth);
	}
}

/* random.seed(7); x = list(range(10)); random.shuffle(x); random.choice(range(1000)) */
TEST(shuffle_and_choice_are_pythons)
{
	static const size_t shuffled[] = {8, 3, 1, 4, 7, 0, 9, 6, 2, 5};
	const size_t then = 931, of_one = 0, of_many = 161042648;
	struct python_random random;
	size_t items[10];

	for (size_t i = 0; i < 10; i++)
		items[i] = i;
	python_random_seed(&random, 7);
	python_random_shuffle(&random, items, 10);
	for (size_t i = 0; i < 10; i++)
		assert_int_equal(items[i], shuffled[i]);
	assert_int_equal(python_random_below(&random, 1000), then);
	assert_int_equal(python_random_below(&random, 1), of_one);
	assert_int_equal(python_random_below(&random, ((size_t)1 << 33) + 5), of_many);
}

TEST(shuffle_of_none_and_one_draws_nothing)
{
	struct python_random random;
	struct python_random untouched;
	size_t item = 5;

	python_random_seed(&random, 3);
	python_random_seed(&untouched, 3);
	python_random_shuffle(&random, &item, 0);
	python_random_shuffle(&random, &item, 1);
	assert_int_equal(item, 5);
	assert_int_equal(python_random_word(&random), python_random_word(&untouched));
}
