/* value: a return value as JSON, whatever it is */
#include <string.h>

#include "tests/unit/python_run.h"

/* docs/LANGUAGE.md, "The return value": code and JSON. */
static const struct {
    const char *code;
    const char *json;
} conversions[] = {
    { "x = 1", "null" },
    { "None", "null" },
    { "[True, False, 1, -2, 1.5, 'a']", "[true,false,1,-2,1.5,\"a\"]" },
    { "'\\x00\\n\"\\\\\\u00e9\\U0001f389'",
        "\"\\u0000\\n\\\"\\\\\xc3\xa9\xf0\x9f\x8e\x89\"" },
    { "'a\\ud800b'", "\"a\xef\xbf\xbd"
                     "b\"" },
    { "10 ** 30", "1000000000000000000000000000000" },
    { "1 << 100000", "\"<int of 100001 bits>\"" },
    { "[float('nan'), float('inf'), -float('inf')]",
        "[\"NaN\",\"Infinity\",\"-Infinity\"]" },
    { "(1, (2,))", "[1,[2]]" },
    { "{'b', 'a'}", "[\"a\",\"b\"]" },
    { "frozenset([3, 1, 2])", "[1,2,3]" },
    { "{'b': 1, 'a': {}}", "{\"b\":1,\"a\":{}}" },
    { "{None: 1, True: 2, 2: 3, 2.5: 4, (1, 'x'): 5}",
        "{\"null\":1,\"true\":2,\"2\":3,\"2.5\":4,\"(1, 'x')\":5}" },
    { "{1: 'a', '1': 'b'}", "{\"1\":\"a\",\"1 (2)\":\"b\"}" },
    { "{'\\ud800': 1, '\\ud801': 2}",
        "{\"\xef\xbf\xbd\":1,\"\xef\xbf\xbd (2)\":2}" },
    { "b'\\xff'", "\"b'\\\\xff'\"" },
    { "1j", "\"1j\"" },
    { "range(3)", "[0,1,2]" },
    { "from datetime import *\n"
      "[date(2024, 1, 2), datetime(2024, 1, 2, 3, 4, 5, 6),"
      " datetime(2024, 1, 2, tzinfo=timezone.utc), time(1, 2),"
      " timedelta(days=1, seconds=0.5)]",
        "[\"2024-01-02\",\"2024-01-02T03:04:05.000006\","
        "\"2024-01-02T00:00:00+00:00\",\"01:02:00\",86400.5]" },
    { "from collections import *\n"
      "d = OrderedDict(a=1, b=2)\nd.move_to_end('a')\n"
      "[d, Counter('aa'), deque([1]), defaultdict(int, x=1)]",
        "[{\"b\":2,\"a\":1},{\"a\":2},[1],{\"x\":1}]" },
    { "from collections import namedtuple\nnamedtuple('P', 'x y')(1, 2)",
        "{\"x\":1,\"y\":2}" },
    { "a = [1]\na.append(a)\na", "[1,\"<cycle>\"]" },
    { "ValueError('x')", "\"ValueError: x\"" },
    { "def f(): pass\n[f, len, int, (x for x in [])]",
        "[\"<function f>\",\"<function len>\",\"<class 'int'>\","
        "\"<generator object>\"]" },
    { "class A: pass\n[A, A()]", "[\"<class 'A'>\",\"<A object>\"]" },
    { "import json\njson", "\"<module object>\"" },
    { "{'a': 1}.keys()", "[\"a\"]" },
    { "5\n_ = 6\n7", "6" },
    { "for _ in range(3): pass\n99", "2" },
    { "'docstring'", "\"docstring\"" },
    /* a zone of the program's is not asked */
    { "from datetime import *\n"
      "class Z(tzinfo):\n"
      "    def utcoffset(self, when):\n"
      "        while True: pass\n"
      "[time(1, 2, 3, 4, timezone.utc), datetime(2024, 1, 2, tzinfo=Z()),"
      " datetime(2024, 1, 2, tzinfo=timezone(-timedelta(minutes=210)))]",
        "[\"01:02:03.000004+00:00\",\"2024-01-02T00:00:00\","
        "\"2024-01-02T00:00:00-03:30\"]" },
    { "[ValueError(), ValueError(1), ValueError('a', 'b'), KeyError('k')]",
        "[\"ValueError\",\"ValueError\",\"ValueError\",\"KeyError: k\"]" },
    { "from datetime import date\n"
      "class A: pass\n"
      "{b'x': 1, (1, (2,)): 2, (b'a', None): 3, A(): 4, date(2024, 1, 2): 5,"
      " 1 << 100000: 6, 10 ** 600: 7, (): 8}",
        "{\"b'x'\":1,\"<tuple>\":2,\"(b'a', None)\":3,\"<A>\":4,"
        "\"2024-01-02\":5,\"<int of 100001 bits>\":6,\"<key>\":7,"
        "\"()\":8}" },
    { "class S(set): pass\nclass F(frozenset): pass\n"
      "[{(1, 2)}, S([2, 1]), F('a'), {None}, {2.5, 1}]",
        "[[[1,2]],[1,2],[\"a\"],[null],[1,2.5]]" },
    /* what only looks like a named tuple is a tuple */
    { "class A(tuple): _fields = ('a',)\n"
      "class B(tuple): _fields = ['a', 'b']\n"
      "class C(tuple): _fields = (1, 2)\n"
      "class D(tuple): _fields = ('a', 'a')\n"
      "class E(tuple): _fields = ('a', '\\ud800')\n"
      "class F(tuple): _fields = ('a', 'b')\n"
      "[c((1, 2)) for c in (A, B, C, D, E, F)]",
        "[[1,2],[1,2],[1,2],[1,2],{},{\"a\":1,\"b\":2}]" },
    { "d = {1: 2}\n[d.values(), d.items(), bytearray(b'x'), {}.keys()]",
        "[[2],[[1,2]],\"bytearray(b'x')\",[]]" },
};

START_TEST(value_is_converted_as_documented)
{
    assert_value(conversions[_i].code, conversions[_i].json);
}
END_TEST

/* None of these methods may be called, or the test never ends. */
START_TEST(value_never_runs_the_programs_methods)
{
    assert_value("class A:\n"
                 "    def __repr__(self):\n"
                 "        while True: pass\n"
                 "    __str__ = __iter__ = __len__ = __hash__ = __repr__\n"
                 "    __getattr__ = lambda self, n: A.__repr__(self)\n"
                 "class D(dict):\n"
                 "    def items(self):\n"
                 "        while True: pass\n"
                 "    __iter__ = keys = __getitem__ = __len__ = items\n"
                 "class L(list):\n"
                 "    def __iter__(self):\n"
                 "        while True: pass\n"
                 "    __getitem__ = __len__ = __iter__\n"
                 "class S(str):\n"
                 "    def __str__(self):\n"
                 "        while True: pass\n"
                 "    encode = __len__ = __iter__ = __str__\n"
                 "[A(), D(a=1), L([1]), S('x')]",
        "[\"<A object>\",{\"a\":1},[1],\"x\"]");
}
END_TEST

START_TEST(value_too_deep_is_cut_off_there)
{
    const struct claim *c =
        python_claim("x = []\nfor i in range(5000): x = [x]\nx");

    ck_assert_uint_eq(c->kind, CLAIM_VALUE);
    ck_assert_ptr_nonnull(
        memmem(c->value.data, c->value.len, "<too deep>", 10));
}
END_TEST

START_TEST(value_key_that_holds_its_own_dictionary_ends)
{
    assert_value("class K:\n"
                 "    pass\n"
                 "k = K()\nd = {k: 1}\nk.d = d\nd",
        "{\"<K>\":1}");
}
END_TEST

/* What fits under each bound, and that the flag is set. */
static const struct {
    uint32_t max;
    const char *json;
} cuts[] = {
    { 4, "{}" },
    { 10, "{\"a\":\"xx\"}" },
    { 16, "{\"a\":\"xxxxxxxx\"}" },
    { 22, "{\"a\":\"xxxxxxxx\"}" },
    { 23, "{\"a\":\"xxxxxxxx\",\"b\":[]}" },
    { 25, "{\"a\":\"xxxxxxxx\",\"b\":[1]}" },
    { 26, "{\"a\":\"xxxxxxxx\",\"b\":[1,2]}" },
};

START_TEST(value_longer_than_its_bound_stays_valid_and_is_flagged)
{
    struct order o = python_order("{'a': 'x' * 8, 'b': [1, 2, 3], 'c': 'end'}");
    const struct python_run *r;

    o.return_bytes = cuts[_i].max;
    r = python_run(PROFILE_RESTRICTED, &o);
    ck_assert_uint_eq(r->claim.flags, CLAIM_VALUE_CUT);
    ck_assert_uint_le(r->claim.value.len, cuts[_i].max);
    assert_text(r->claim.value, cuts[_i].json);
}
END_TEST

START_TEST(value_of_exactly_its_bound_is_not_cut)
{
    struct order o = python_order("'abc'");
    const struct python_run *r;

    o.return_bytes = 5;
    r = python_run(PROFILE_RESTRICTED, &o);
    ck_assert_uint_eq(r->claim.flags, 0);
    assert_text(r->claim.value, "\"abc\"");
}
END_TEST

START_TEST(value_is_cut_between_characters)
{
    struct order o = python_order("'\\u00e9' * 10");

    o.return_bytes = 7;
    assert_text(python_run(PROFILE_RESTRICTED, &o)->claim.value,
        "\"\xc3\xa9\xc3\xa9\"");
}
END_TEST

START_TEST(value_of_library_types_in_standard)
{
    struct order o =
        python_order("import dataclasses, decimal, enum, fractions, uuid\n"
                     "@dataclasses.dataclass\n"
                     "class P:\n    x: int\n    y: list = None\n"
                     "class C(enum.Enum):\n    A = 'a'\n"
                     "class I(enum.IntEnum):\n    B = 2\n"
                     "[P(1, [C.A]), I.B, decimal.Decimal('1.10'),"
                     " fractions.Fraction(1, 3), uuid.UUID(int=1)]");

    assert_text(python_run(PROFILE_STANDARD, &o)->claim.value,
        "[{\"x\":1,\"y\":[\"a\"]},2,\"1.10\",\"1/3\","
        "\"00000000-0000-0000-0000-000000000001\"]");
}
END_TEST

/* What is stored is told; what would have to be computed is not. */
START_TEST(value_of_an_object_is_what_it_stores)
{
    struct order o =
        python_order("import dataclasses, enum, time\n"
                     "@dataclasses.dataclass(slots=True)\n"
                     "class S:\n    x: int\n    y: int\n"
                     "s = S(1, 2)\ndel s.y\n"
                     "@dataclasses.dataclass\n"
                     "class P:\n    x: int\n    y: int\n"
                     "p = P(1, 2)\ndel p.y\n"
                     "P.y = property(lambda self: 1 / 0)\n"
                     "class N: __dataclass_fields__ = [1]\n"
                     "class M: __dataclass_fields__ = {1: 2}\n"
                     "class E(enum.Enum): A = 1\n"
                     "E.A._value_ = E.A\n"
                     "class G(enum.Enum): A = 1\n"
                     "del G.A.__dict__['_value_']\n"
                     "[s, p, N(), M(), E.A, G.A, list(time.gmtime(0))[:3]]");

    assert_text(python_run(PROFILE_STANDARD, &o)->claim.value,
        "[{\"x\":1},{\"x\":1},\"<N object>\",{},null,null,[1970,1,1]]");
}
END_TEST

Suite *suite_value(void);

Suite *
suite_value(void)
{
    Suite *s = suite_create("value");
    TCase *t = tcase_create("value");

    tcase_set_timeout(t, 30);
    tcase_add_loop_test(t, value_is_converted_as_documented, 0,
        sizeof(conversions) / sizeof(conversions[0]));
    tcase_add_test(t, value_never_runs_the_programs_methods);
    tcase_add_test(t, value_too_deep_is_cut_off_there);
    tcase_add_test(t, value_key_that_holds_its_own_dictionary_ends);
    tcase_add_loop_test(t,
        value_longer_than_its_bound_stays_valid_and_is_flagged, 0,
        sizeof(cuts) / sizeof(cuts[0]));
    tcase_add_test(t, value_of_exactly_its_bound_is_not_cut);
    tcase_add_test(t, value_is_cut_between_characters);
    tcase_add_test(t, value_of_library_types_in_standard);
    tcase_add_test(t, value_of_an_object_is_what_it_stores);
    suite_add_tcase(s, t);
    return s;
}
