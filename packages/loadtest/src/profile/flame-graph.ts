/** A CPU profile of V8: a tree of calls, and the running call at each sample. */
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

/** Narrower frames are left out; a share of the whole. */
const least = 0.002
const idle = new Set(['(idle)', '(program)'])

/**
 * A flame graph of a profile as a page: the width of each call is the time spent in it and its callees, and idle time
 * is left out. Also returns the busy milliseconds.
 */
export function flameGraph(title: string, profile: CpuProfile): { html: string; busyMs: number } {
  const root = merge(profile)
  const html = `<!doctype html><meta charset="utf-8"><title>${escaped(title)}</title><style>
body { font: 12px/18px system-ui; margin: 1rem }
div { position: relative; box-sizing: border-box; overflow: hidden }
.row { display: flex }
p { margin: 0; height: 18px; overflow: hidden; white-space: nowrap; padding: 0 3px; border: 1px solid #fff; border-radius: 3px }
</style><h1>${escaped(title)}</h1><p style="height:auto">${root.ms.toFixed(0)} ms of processor time. Point at a call for its name, file and time.</p>
${drawn(root, root.ms)}`
  return { html, busyMs: root.ms }
}

/** Calls of the same function by the same caller are one. */
function merge({ nodes, samples = [], timeDeltas = [] }: CpuProfile): Call {
  const selfMs = new Map<number, number>()
  samples.forEach((id, n) => selfMs.set(id, (selfMs.get(id) ?? 0) + (timeDeltas[n] ?? 0) / 1000))
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const add = (id: number, into: Call): number => {
    const node = byId.get(id)
    if (!node || idle.has(node.callFrame.functionName)) return 0
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

function drawn(call: Call, wholeMs: number): string {
  const shown = [...call.children.values()].filter(({ ms }) => ms >= least * wholeMs).sort((a, b) => b.ms - a.ms)
  const about = `${call.name} ${call.where} ${call.ms.toFixed(1)} ms, ${((100 * call.ms) / wholeMs).toFixed(1)} %`
  const below = shown
    .map((child) => `<div style="width:${((100 * child.ms) / call.ms).toFixed(2)}%">${drawn(child, wholeMs)}</div>`)
    .join('')
  const colour = `hsl(${hueOf(call.where)} 70% 80%)`
  return `<p title="${escaped(about)}" style="background:${colour}">${escaped(call.name)}</p><div class="row">${below}</div>`
}

/** One colour for each file. */
function hueOf(where: string): number {
  const file = where.replace(/:\d+$/, '')
  let sum = 0
  for (const character of file) sum = (sum * 31 + character.charCodeAt(0)) % 360
  return sum
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
