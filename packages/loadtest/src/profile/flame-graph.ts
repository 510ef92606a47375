export type CpuProfile = {
  nodes: {
    id: number
    callFrame: { functionName: string; url: string; lineNumber: number }
    children?: number[]
  }[]
  samples?: number[]
  timeDeltas?: number[]
}

type Call = { name: string; where: string; ms: number; children: Map<string, Call> }

const minFraction = 0.002
const omitted = new Set(['(idle)', '(program)'])

/** Leaves out idle time and time outside calls (`(program)`). `busyMs`: the remaining time. */
export function flameGraph(title: string, profile: CpuProfile): { html: string; busyMs: number } {
  const root = merge(profile)
  const html = `<!doctype html><meta charset="utf-8"><title>${escapeHtml(title)}</title><style>
body { font: 12px/18px system-ui; margin: 1rem }
div { position: relative; box-sizing: border-box; overflow: hidden }
.row { display: flex }
p { margin: 0; height: 18px; overflow: hidden; white-space: nowrap; padding: 0 3px; border: 1px solid #fff; border-radius: 3px }
</style><h1>${escapeHtml(title)}</h1><p style="height:auto">${root.ms.toFixed(0)} ms of CPU time. Hover over a call for its name, file and time.</p>
${renderCall(root, root.ms)}`
  return { html, busyMs: root.ms }
}

/** Calls of the same function by the same caller become one. */
function merge({ nodes, samples = [], timeDeltas = [] }: CpuProfile): Call {
  const selfMs = new Map<number, number>()
  samples.forEach((id, n) => selfMs.set(id, (selfMs.get(id) ?? 0) + (timeDeltas[n] ?? 0) / 1000))
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const add = (id: number, into: Call): number => {
    const node = byId.get(id)
    if (!node || omitted.has(node.callFrame.functionName)) return 0
    const { functionName, url, lineNumber } = node.callFrame
    const where = url ? `${url.replace(/^.*\/(?=services|packages|node_modules)/, '')}:${lineNumber + 1}` : ''
    const name = functionName || '(anonymous)'
    const call = into.children.get(`${name} ${where}`) ?? { name, where, ms: 0, children: new Map<string, Call>() }
    into.children.set(`${name} ${where}`, call)
    const ms = (node.children ?? []).reduce((sum, child) => sum + add(child, call), selfMs.get(id) ?? 0)
    call.ms += ms
    return ms
  }
  const all: Call = { name: 'all', where: '', ms: 0, children: new Map() }
  for (const child of nodes[0]?.children ?? []) all.ms += add(child, all)
  return all
}

function renderCall(call: Call, totalMs: number): string {
  const shown = [...call.children.values()].filter(({ ms }) => ms >= minFraction * totalMs).sort((a, b) => b.ms - a.ms)
  const about = `${call.name} ${call.where} ${call.ms.toFixed(1)} ms, ${((100 * call.ms) / totalMs).toFixed(1)} %`
  const below = shown
    .map(
      (child) => `<div style="width:${((100 * child.ms) / call.ms).toFixed(2)}%">${renderCall(child, totalMs)}</div>`,
    )
    .join('')
  const colour = `hsl(${hueOf(call.where)} 70% 80%)`
  return `<p title="${escapeHtml(about)}" style="background:${colour}">${escapeHtml(call.name)}</p><div class="row">${below}</div>`
}

function hueOf(where: string): number {
  const file = where.replace(/:\d+$/, '')
  let sum = 0
  for (const character of file) sum = (sum * 31 + character.charCodeAt(0)) % 360
  return sum
}

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
