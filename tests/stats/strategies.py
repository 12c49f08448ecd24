"""Pairs and their summaries for property tests."""

from hypothesis import strategies as st

from isolarium.stats import Pair, PairSummary

counts = st.integers(0, 3) | st.integers(0, 100_000)
distinct_summaries = st.builds(PairSummary.distinct, counts, counts, counts)
pairs = st.builds(Pair, st.sampled_from([0.0, 0.5, 1.0]), st.integers(0, 8))
pair_lists = st.lists(pairs, max_size=40)
