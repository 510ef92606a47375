import { stringify } from 'yaml'
import { runbookOf } from './runbooks.mjs'

/** Label matcher that selects the public calls among all requests over HTTP. */
export const publicCalls = 'http_route=~"/svc[.].+"'

/** Pattern for the label `error_type`: the codes and statuses of failures caused by the server. */
export const faults = 'internal|unavailable|deadline_exceeded|unknown|data_loss|5..'

/**
 * The service level objectives, each over thirty days. `good` and `all` are rates over a window: the error budget is
 * the fraction of `all` that need not be `good`.
 */
export const objectives = [
  {
    name: 'calls',
    title: 'Public calls succeed',
    meaning: 'public calls succeed, or fail for a reason that is the caller’s',
    target: 0.999,
    good: (window) =>
      `sum(rate(http_server_request_duration_seconds_count{${publicCalls},error_type!~"${faults}"}[${window}]))`,
    all: (window) => `sum(rate(http_server_request_duration_seconds_count{${publicCalls}}[${window}]))`,
  },
  {
    name: 'sockets',
    title: 'Changes reach sockets',
    meaning: 'events begin to be sent to the sockets of each realtime node within a second of their change',
    target: 0.995,
    // Prometheus 3 writes the label as 1.0.
    good: (window) => `sum(rate(parley_realtime_lag_seconds_bucket{le=~"1|1[.]0"}[${window}]))`,
    all: (window) => `sum(rate(parley_realtime_lag_seconds_count[${window}]))`,
  },
  {
    name: 'pushes',
    title: 'Notifications are pushed',
    meaning: 'pushes are accepted by the push service of the browser within ten seconds',
    target: 0.99,
    good: (window) => `sum(rate(parley_push_lag_seconds_bucket{le=~"10|10[.]0"}[${window}]))`,
    all: (window) =>
      `sum(rate(parley_push_pushes_total{parley_outcome=~"accepted|refused|given_up|expired"}[${window}]))`,
  },
]

/**
 * Alerts on burn rates, which must be exceeded in two windows; at burn rate 1 the error budget lasts thirty days. See
 * https://sre.google/workbook.
 */
const alerts = [
  {
    alert: 'ParleyErrorBudgetBurnsFast',
    severity: 'critical',
    summary: 'at this rate the error budget for {{ $labels.parley_objective }} is used up within five days',
    burns: [
      { above: 14.4, windows: ['1h', '5m'] },
      { above: 6, windows: ['6h', '30m'] },
    ],
  },
  {
    alert: 'ParleyErrorBudgetBurnsSlowly',
    severity: 'warning',
    summary: 'the thirty-day error budget for {{ $labels.parley_objective }} is being used too fast',
    burns: [
      { above: 3, windows: ['1d', '2h'] },
      { above: 1, windows: ['3d', '6h'] },
    ],
  },
]

/**
 * Up to this many misses in the longer window cause no alert: with little traffic, a single miss is already a high
 * rate.
 */
const toleratedMisses = 10

const secondsOf = { '5m': 300, '30m': 1_800, '1h': 3_600, '2h': 7_200, '6h': 21_600, '1d': 86_400, '3d': 259_200 }
const windows = Object.keys(secondsOf)
const longWindows = alerts.flatMap(({ burns }) => burns.map(({ windows: [long] }) => long))

/** The series with the burn rate of each objective over a window. */
export const burnRate = (window) => `parley:error_budget_burn:rate${window}`

/** The series with the number of calls, events or pushes that missed each objective in a window. */
const missedSeries = (window) => `parley:error_budget_missed:increase${window}`

/** All series that the rules record. */
export const recordedSeries = [...windows.map(burnRate), ...longWindows.map(missedSeries)]

/** Burn rates, and the alerts on them. */
const groupsOfObjectives = () => [
  {
    name: 'parley-objectives',
    rules: [
      ...windows.flatMap((window) => objectives.map((one) => burnRateOf(one, window))),
      ...longWindows.flatMap((window) => objectives.map((one) => missedOf(one, window))),
    ],
  },
  { name: 'parley-error-budgets', rules: alerts.map(alertOf) },
]

// A series does not exist before its first event, so if every call has failed since the start, `good` has no series.
const goodOrNone = ({ good }, window) => `(${good(window)} or vector(0))`

function burnRateOf(objective, window) {
  const budget = Number((1 - objective.target).toFixed(6))
  return {
    record: burnRate(window),
    // The ratio of two rates may be slightly above 1.
    expr: `clamp_min(1 - ${goodOrNone(objective, window)} / ${objective.all(window)}, 0) / ${budget}`,
    labels: { parley_objective: objective.name },
  }
}

const missedOf = (objective, window) => ({
  record: missedSeries(window),
  expr: `(${objective.all(window)} - ${goodOrNone(objective, window)}) * ${secondsOf[window]}`,
  labels: { parley_objective: objective.name },
})

const alertOf = ({ alert, severity, summary, burns }) => ({
  alert,
  expr: burns.map(conditionOf).join(' or '),
  labels: { severity },
  annotations: { summary, runbook: runbookOf(alert) },
})

const conditionOf = ({ above, windows: [long, short] }) =>
  `(${burnRate(long)} > ${above} and ${burnRate(short)} > ${above} and ${missedSeries(long)} > ${toleratedMisses})`

const head = `# The rules for the objectives of packages/tooling/deploy/objectives.mjs. Generated by pnpm check-deploy --write
`

/** The rules as a file for Prometheus. */
export const rulesOfObjectives = () => head + stringify({ groups: groupsOfObjectives() }, { lineWidth: 0 })

const percent = (target) => `${Number((target * 100).toFixed(3))} %`

/** The promise of an objective, such as `99 % of ...`. */
export const promiseOf = ({ target, meaning }) => `${percent(target)} of ${meaning}`

/** The objectives as a table for a page. */
export const tableOfObjectives = () =>
  [
    '| objective | promise |',
    '| --- | --- |',
    ...objectives.map((objective) => `| \`${objective.name}\` | ${promiseOf(objective)} |`),
  ].join('\n')
