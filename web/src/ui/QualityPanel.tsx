import type { QualityCheck } from "../api/types";
import { humanize } from "../lib/format";
import { roundsOf } from "../lib/rounds";
import { Icon } from "./icons";

/** What was measured in every round: the score as a bar, the threshold as a line across it, the finding in words. */
export function QualityPanel({ checks }: { checks: readonly QualityCheck[] }) {
  const rounds = roundsOf(checks);
  if (rounds.length === 0) return null;
  return (
    <section aria-label="Quality checks">
      <h3>Quality checks</h3>
      {rounds.map((round, index) => (
        <details key={round.title} className="round" open={index === rounds.length - 1}>
          <summary>
            {round.title}
            <span className={`badge ${round.passed ? "status-completed" : "warn"}`}>{round.passed ? "passed" : "not passed"}</span>
          </summary>
          <ul className="checks">
            {round.checks.map((check, place) => (
              <Check key={`${check.name}-${place}`} check={check} />
            ))}
          </ul>
        </details>
      ))}
    </section>
  );
}

function Check({ check }: { check: QualityCheck }) {
  const { name, score, threshold, passed, reason } = check;
  const words = `${score.toFixed(2)}, needs ${threshold.toFixed(2)}`;
  return (
    <li className="check" data-passed={passed}>
      <div className="check-head">
        <Icon name={passed ? "check" : "alert"} />
        <span className="check-name">{humanize(name)}</span>
        <span className="check-score">{words}</span>
      </div>
      <div className="score" role="meter" aria-label={humanize(name)} aria-valuemin={0} aria-valuemax={1} aria-valuenow={score} aria-valuetext={words}>
        <div className="score-fill" style={{ width: `${Math.min(1, Math.max(0, score)) * 100}%` }} />
        <div className="score-line" style={{ insetInlineStart: `${Math.min(1, Math.max(0, threshold)) * 100}%` }} />
      </div>
      <p dir="auto">{reason}</p>
    </li>
  );
}
