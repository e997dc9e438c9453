// Quality checks by the round in which they were measured.

import type { QualityCheck } from "../api/types";

export interface Round {
  title: string;
  passed: boolean;
  checks: QualityCheck[];
}

/**
 * Group checks that are listed oldest first. Round numbers start again with each attempt, so a number that falls begins
 * another group, and not the older group of the same number.
 */
export function roundsOf(checks: readonly QualityCheck[]): Round[] {
  const rounds: Round[] = [];
  let last: number | null = null;
  for (const check of checks) {
    if (check.round !== last) rounds.push({ title: `Round ${rounds.length + 1}`, passed: true, checks: [] });
    last = check.round;
    const round = rounds.at(-1);
    if (!round) continue;
    round.checks.push(check);
    round.passed &&= check.passed;
  }
  return rounds;
}
