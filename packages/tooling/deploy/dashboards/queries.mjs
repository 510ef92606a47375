const range = '[$__rate_interval]'

export const rate = (series, by, where = '') =>
  `sum(rate(${series}${where && `{${where}}`}${range}))${by && ` by (${by})`}`

export const quantile = (q, histogram, by, where = '') =>
  `histogram_quantile(${q}, ${rate(`${histogram}_bucket`, ['le', by].filter(Boolean).join(', '), where)})`

export const quantiles = (histogram, where) => [
  [quantile(0.5, histogram, '', where), 'p50'],
  [quantile(0.99, histogram, '', where), 'p99'],
]

export const [seconds, perSecond, share, bytes, count] = ['s', 'ops', 'percentunit', 'bytes', 'short']
