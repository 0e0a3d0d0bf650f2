/* SPDX-License-Identifier: MIT */
#include "base/inflate.h"

#include <string.h>

#define BITS_MOST    15
#define BITS_QUICK   9
#define SYMBOLS_MOST 288
#define END_OF_BLOCK 256

struct input {
	const uint8_t *at, *end;
	uint64_t bits; /* taken from at, not used yet; the next one is the lowest */
	unsigned int count;
	bool failed;
};

struct output {
	uint8_t *to;
	size_t length, room;
};

/* A canonical code: how many symbols have each length in bits, and the symbols in the order of their codes. What the
 * next bits mean, where a short code begins them: its length above its symbol's nine bits; 0 where it is a long one. */
struct code {
	uint16_t counts[BITS_MOST + 1];
	uint16_t symbols[SYMBOLS_MOST];
	uint16_t quick[1 << BITS_QUICK];
};

/* So that a code and its extra bits are there, if the input has as many. */
static void refill(struct input *input)
{
	while (input->count <= 56 && input->at != input->end) {
		input->bits |= (uint64_t)*input->at++ << input->count;
		input->count += 8;
	}
}

static unsigned int take_bits(struct input *input, unsigned int count)
{
	if (input->count < count)
		refill(input);
	if (input->count < count) {
		input->failed = true;
		return 0;
	}
	unsigned int bits = (unsigned int)(input->bits & ((1u << count) - 1));
	input->bits >>= count;
	input->count -= count;
	return bits;
}

/* A code stands in the input with its first bit lowest: everywhere that its bits, so turned, are the lowest. */
static void note_quick(struct code *code, unsigned int value, unsigned int bits, unsigned int symbol)
{
	unsigned int turned = 0;

	for (unsigned int i = 0; i < bits; i++)
		turned |= (value >> i & 1) << (bits - 1 - i);
	for (; turned < 1u << BITS_QUICK; turned += 1u << bits)
		code->quick[turned] = (uint16_t)(bits << 9 | symbol);
}

/* Codes of one length are successive numbers, and follow those of the length before, doubled. */
static void make_code(struct code *code, const uint8_t *lengths, unsigned int count)
{
	uint16_t places[BITS_MOST + 2] = {0};
	unsigned int value = 0;
	unsigned int place = 0;

	memset(code, 0, sizeof(*code));
	for (unsigned int i = 0; i < count; i++)
		code->counts[lengths[i]]++;
	code->counts[0] = 0;
	for (unsigned int bits = 1; bits <= BITS_MOST; bits++)
		places[bits + 1] = (uint16_t)(places[bits] + code->counts[bits]);
	for (unsigned int i = 0; i < count; i++)
		if (lengths[i])
			code->symbols[places[lengths[i]]++] = (uint16_t)i;
	/* Lengths that make more codes than there is room for are found wrong by what they lead to. */
	for (unsigned int bits = 1; bits <= BITS_QUICK; bits++, value *= 2)
		for (unsigned int i = 0; i < code->counts[bits] && value < 1u << bits; i++)
			note_quick(code, value++, bits, code->symbols[place++]);
}

static unsigned int take_long_symbol(struct input *input, const struct code *code)
{
	unsigned int value = 0;
	unsigned int first = 0;
	unsigned int place = 0;

	for (unsigned int bits = 1; bits <= BITS_MOST && !input->failed; bits++) {
		value = value * 2 + take_bits(input, 1);
		unsigned int count = code->counts[bits];
		if (value < first + count)
			return value < first ? END_OF_BLOCK : code->symbols[place + value - first];
		place += count;
		first = (first + count) * 2;
	}
	input->failed = true;
	return END_OF_BLOCK;
}

static unsigned int take_symbol(struct input *input, const struct code *code)
{
	if (input->count < BITS_MOST)
		refill(input);
	unsigned int quick = code->quick[input->bits & ((1u << BITS_QUICK) - 1)];
	unsigned int bits = quick >> 9;
	if (quick == 0 || bits > input->count)
		return take_long_symbol(input, code);
	input->bits >>= bits;
	input->count -= bits;
	return quick & 511;
}

static void put_byte(struct input *input, struct output *output, unsigned int byte)
{
	if (output->length == output->room)
		input->failed = true;
	else
		output->to[output->length++] = (uint8_t)byte;
}

static void copy_earlier(struct input *input, struct output *output, size_t length, size_t distance)
{
	if (distance > output->length || length > output->room - output->length) {
		input->failed = true;
		return;
	}
	/* Byte by byte: what is copied may reach into itself. */
	for (size_t end = output->length + length; output->length < end; output->length++)
		output->to[output->length] = output->to[output->length - distance];
}

/* Four lengths, then two distances, for each number of extra bits. */
static size_t take_length(struct input *input, unsigned int symbol)
{
	if (symbol < 8)
		return 3 + symbol;
	if (symbol == 28)
		return 258;
	unsigned int extra = symbol / 4 - 1;
	return 3 + ((4 + symbol % 4) << extra) + take_bits(input, extra);
}

static size_t take_distance(struct input *input, unsigned int symbol)
{
	if (symbol < 2)
		return 1 + symbol;
	unsigned int extra = symbol / 2 - 1;
	return 1 + ((2 + symbol % 2) << extra) + take_bits(input, extra);
}

static void take_coded(struct input *input, struct output *output, const struct code *literals,
		       const struct code *distances)
{
	while (!input->failed) {
		unsigned int symbol = take_symbol(input, literals);
		if (symbol == END_OF_BLOCK)
			return;
		if (symbol < END_OF_BLOCK) {
			put_byte(input, output, symbol);
			continue;
		}
		size_t length = take_length(input, symbol - END_OF_BLOCK - 1);
		unsigned int distance = take_symbol(input, distances);
		if (symbol > 285 || distance > 29)
			input->failed = true;
		else
			copy_earlier(input, output, length, take_distance(input, distance));
	}
}

static void take_stored(struct input *input, struct output *output)
{
	/* It begins with a whole byte. */
	input->bits >>= input->count % 8;
	input->count -= input->count % 8;
	unsigned int length = take_bits(input, 16);
	unsigned int inverse = take_bits(input, 16);

	if (length != (inverse ^ 0xffff))
		input->failed = true;
	while (length-- && !input->failed)
		put_byte(input, output, take_bits(input, 8));
}

static void take_fixed(struct input *input, struct output *output)
{
	struct code literals;
	struct code distances;
	uint8_t lengths[SYMBOLS_MOST];

	for (unsigned int i = 0; i < SYMBOLS_MOST; i++)
		lengths[i] = i < 144 || i > 279 ? 8 : i < 256 ? 9 : 7;
	make_code(&literals, lengths, SYMBOLS_MOST);
	memset(lengths, 5, 30);
	make_code(&distances, lengths, 30);
	take_coded(input, output, &literals, &distances);
}

/* The lengths of both codes, themselves coded, with counts for runs. */
static void take_lengths(struct input *input, const struct code *code, uint8_t *lengths, unsigned int wanted)
{
	unsigned int count = 0;

	while (count < wanted && !input->failed) {
		unsigned int symbol = take_symbol(input, code);
		if (symbol < 16) {
			lengths[count++] = (uint8_t)symbol;
			continue;
		}
		uint8_t value = symbol == 16 && count ? lengths[count - 1] : 0;
		unsigned int run = symbol == 16   ? 3 + take_bits(input, 2)
				   : symbol == 17 ? 3 + take_bits(input, 3)
						  : 11 + take_bits(input, 7);
		if (symbol > 18 || (symbol == 16 && count == 0) || run > wanted - count) {
			input->failed = true;
			return;
		}
		memset(lengths + count, value, run);
		count += run;
	}
}

static void take_dynamic(struct input *input, struct output *output)
{
	static const uint8_t order[] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
	unsigned int literal_count = take_bits(input, 5) + 257;
	unsigned int distance_count = take_bits(input, 5) + 1;
	unsigned int length_count = take_bits(input, 4) + 4;
	uint8_t lengths[SYMBOLS_MOST + 32] = {0};
	struct code literals;
	struct code distances;

	if (literal_count > 286 || distance_count > 30) {
		input->failed = true;
		return;
	}
	for (unsigned int i = 0; i < length_count; i++)
		lengths[order[i]] = (uint8_t)take_bits(input, 3);
	make_code(&literals, lengths, sizeof(order));
	memset(lengths, 0, sizeof(lengths));
	take_lengths(input, &literals, lengths, literal_count + distance_count);
	make_code(&literals, lengths, literal_count);
	make_code(&distances, lengths + literal_count, distance_count);
	take_coded(input, output, &literals, &distances);
}

bool inflate(const uint8_t *packed, size_t packed_length, uint8_t *to, size_t length)
{
	struct input input = {.at = packed, .end = packed + packed_length};
	struct output output = {.to = to, .room = length};
	bool last = false;

	while (!last && !input.failed) {
		last = take_bits(&input, 1);
		unsigned int kind = take_bits(&input, 2);
		if (kind == 0)
			take_stored(&input, &output);
		else if (kind == 1)
			take_fixed(&input, &output);
		else if (kind == 2)
			take_dynamic(&input, &output);
		else
			input.failed = true;
	}
	return !input.failed && output.length == length;
}
