const columns = 24
const [width, height] = [8, 8]

const source = { type: 'prometheus', uid: '${source}' }

/**
 * Replaces variables as Grafana does before it sends a query. `rateInterval` should be at least four scrape
 * intervals. Throws if the query has an unknown variable.
 */
export function fillVariables(query, { rateInterval = '5m' } = {}) {
  const filled = query.replaceAll('$__rate_interval', rateInterval)
  if (filled.includes('$')) throw new Error(`unknown variable of Grafana in ${query}`)
  return filled
}

export function grafanaDashboard({ name, title, panels }) {
  return {
    uid: `parley-${name}`,
    title: `Parley: ${title}`,
    tags: ['parley'],
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-1h', to: 'now' },
    templating: { list: [{ name: 'source', label: 'Prometheus', type: 'datasource', query: 'prometheus' }] },
    panels: panels.map(panelOf),
  }
}

function panelOf({ title, meaning, unit, queries }, at) {
  const perRow = columns / width
  return {
    id: at + 1,
    type: 'timeseries',
    title,
    description: meaning,
    datasource: source,
    gridPos: { x: (at % perRow) * width, y: Math.floor(at / perRow) * height, w: width, h: height },
    fieldConfig: { defaults: { unit, min: 0, custom: { showPoints: 'never' } }, overrides: [] },
    options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
    targets: queries.map(([expr, legendFormat], n) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + n),
      datasource: source,
      expr,
      legendFormat,
    })),
  }
}
