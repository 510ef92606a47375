import { expect, test } from '@jest/globals'
import { flameGraph } from './flame-graph.ts'

const node = (id: number, functionName: string, children: number[] = []) => ({
  id,
  callFrame: { functionName, url: 'file:///x/services/rooms/dist/main.js', lineNumber: 6 },
  children,
})

test('the width of a call is the time spent in it and in its callees, without idle time', () => {
  const { html, busyMs } = flameGraph('rooms <once>', {
    nodes: [node(1, '(root)', [2, 4]), node(2, 'list', [3]), node(3, 'encode'), node(4, '(idle)')],
    samples: [2, 3, 3, 4],
    timeDeltas: [1_000, 2_000, 1_000, 9_000],
  })
  expect(busyMs).toBe(4)
  expect(html).toContain('<title>rooms &lt;once></title>')
  expect(html).toContain('title="list services/rooms/dist/main.js:7 4.0 ms, 100.0 %"')
  expect(html).toContain('<div style="width:75.00%"><p title="encode services/rooms/dist/main.js:7 3.0 ms, 75.0 %"')
  expect(html).not.toContain('idle')
})
