import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { parseAllDocuments } from 'yaml'
import { problemsOfSelectors } from '../deploy/check-selectors.mjs'

const golden = fileURLToPath(new URL('../deploy/golden/full.yaml', import.meta.url))

function renderedObjects(kind, name, change) {
  const objects = parseAllDocuments(readFileSync(golden, 'utf8'))
    .map((each) => each.toJS())
    .filter(Boolean)
  change(objects.find((each) => each.kind === kind && each.metadata.name === name).spec)
  return objects
}

test('the check finds no problem in the selectors of the rendering', () => {
  expect(problemsOfSelectors(renderedObjects('Service', 'parley-internal', () => {}))).toEqual([])
})

test.each([
  ['Service', 'parley-internal', (spec) => (spec.selector['parley.process'] = 'true'), 'parley.process=true'],
  [
    'PodMonitor',
    'parley',
    (spec) => (spec.selector.matchLabels['helm.sh/chart'] = 'parley-1'),
    'helm.sh/chart=parley-1',
  ],
  [
    'NetworkPolicy',
    'parley-admin',
    ({ egress }) => (egress.at(-1).to[0].podSelector.matchLabels['parley.process'] = 'true'),
    'parley.process=true',
  ],
])('%s %s must not select pods by a new label', (kind, name, change, label) => {
  expect(problemsOfSelectors(renderedObjects(kind, name, change))).toContain(
    `${kind} ${name}: ${label} is not a label of pods of earlier releases`,
  )
})

test.each([
  ['Service', 'parley-internal', ({ selector }) => selector],
  ['PodMonitor', 'parley', ({ selector }) => selector.matchLabels],
  ['PodDisruptionBudget', 'parley-gateway', ({ selector }) => selector.matchLabels],
  ['NetworkPolicy', 'parley-admin', ({ egress }) => egress.at(-1).to[0].podSelector.matchLabels],
])('%s %s must name the installation', (kind, name, selectorOf) => {
  const objects = renderedObjects(kind, name, (spec) => delete selectorOf(spec)['app.kubernetes.io/instance'])
  expect(problemsOfSelectors(objects)).toContainEqual(
    expect.stringMatching(new RegExp(`^${kind} ${name}: \\{.*\\} also selects pods of other installations$`)),
  )
})

test.each([
  ['NetworkPolicy', 'parley-admin', ({ egress }) => (egress.at(-1).to[0].podSelector = {})],
  ['NetworkPolicy', 'parley-admin', (spec) => (spec.podSelector = {})],
  [
    'PodMonitor',
    'parley',
    (spec) => (spec.selector = { matchExpressions: [{ key: 'app.kubernetes.io/name', operator: 'Exists' }] }),
  ],
])('%s %s must not select all pods of the namespace', (kind, name, change) => {
  expect(problemsOfSelectors(renderedObjects(kind, name, change))).toContain(
    `${kind} ${name}: {} also selects pods of other installations`,
  )
})

test('a Service without a selector is reported, because it selects no pods', () => {
  const objects = renderedObjects('Service', 'parley-internal', (spec) => (spec.selector = null))
  expect(problemsOfSelectors(objects)).toContain('Service parley-internal: the pods of rooms are not selected')
})

test('pods that no Service or monitor of internal ports selects are reported', () => {
  const change = ({ template }) => delete template.metadata.labels['app.kubernetes.io/managed-by']
  expect(problemsOfSelectors(renderedObjects('Deployment', 'parley-rooms', change))).toEqual([
    'Service parley-internal: the pods of rooms are not selected',
    'PodMonitor parley: the pods of rooms are not selected',
  ])
})
