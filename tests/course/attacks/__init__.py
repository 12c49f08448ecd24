"""Attacks by third-party code on the sandbox: what each tries, and how its effect is seen from outside.

`attempt` defines an attempt; `kit` is pasted in front of its code; `scene` is the machine as the attacker finds it;
`trial` plays a match with the attacker in it and judges. The attempts themselves are one file per subject, and `suite`
lists them all. The tests run a selection, `tools.proofs.sandbox_attacks` everything.
"""
