const range = '[$__rate_interval]'

/** Events per second over the fleet, by labels. */
export const rate = (series, by, where = '') =>
  `sum(rate(${series}${where && `{${where}}`}${range}))${by && ` by (${by})`}`

/** Quantile of a histogram over the fleet. */
export const quantile = (q, histogram, by, where = '') =>
  `histogram_quantile(${q}, ${rate(`${histogram}_bucket`, ['le', by].filter(Boolean).join(', '), where)})`

/** p50 and p99 of a histogram. */
export const quantiles = (histogram, where) => [
  [quantile(0.5, histogram, '', where), 'p50'],
  [quantile(0.99, histogram, '', where), 'p99'],
]

/** Units of Grafana. */
export const [seconds, perSecond, share, bytes, count] = ['s', 'ops', 'percentunit', 'bytes', 'short']
