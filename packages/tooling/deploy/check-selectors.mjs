const label = (name) => `app.kubernetes.io/${name}`

/**
 * Labels that pods of every Parley version have, with their value if it is always the same. An upgrade changes the
 * selectors of Services, monitors and policies before it replaces the first pod: a selector with any other label would
 * not match the running pods.
 */
const lastingLabels = new Map([
  [label('name'), 'parley'],
  [label('instance'), undefined],
  [label('component'), undefined],
  [label('part-of'), 'parley'],
  [label('managed-by'), 'Helm'],
])

const kinds = ['Service', 'PodMonitor', 'PodDisruptionBudget', 'NetworkPolicy', 'Deployment']

/**
 * The selectors must also match the pods of the previous release, but no pods of other installations in the same
 * namespace. The Service and the monitor of the internal ports must select all pods.
 */
export function problemsOfSelectors(objects) {
  const pods = objects.filter(({ kind }) => kind === 'Deployment').map(({ spec }) => spec.template.metadata.labels)
  const release = pods[0]?.[label('instance')]
  return objects
    .filter(({ kind }) => kinds.includes(kind))
    .flatMap((object) => {
      const where = `${object.kind} ${object.metadata.name}`
      const all = selectorsIn(object.spec)
      const selectors = all.filter((each) => each[label('instance')] === release)
      const ofOthers = all.filter((each) => !(label('instance') in each) && isForParley(each, pods))
      const lost = selectors.flatMap((each) => Object.entries(each).filter(([key, value]) => !isLasting(key, value)))
      const selected = isForInternalPorts(object) ? selectors.slice(0, 1).flatMap((each) => matching(pods, each)) : pods
      return [
        ...ofOthers.map((each) => `${where}: ${JSON.stringify(each)} also selects pods of other installations`),
        ...lost.map(([key, value]) => `${where}: ${key}=${value} is not a label of pods of earlier releases`),
        ...pods
          .filter((each) => !selected.includes(each))
          .map((each) => `${where}: the pods of ${each[label('component')]} are not selected`),
      ]
    })
}

/** Other selectors are for the cluster's DNS, the ingress and databases. */
const isForParley = (selector, pods) =>
  selector[label('name')] === lastingLabels.get(label('name')) || matching(pods, selector).length > 0

const isLasting = (key, value) => lastingLabels.has(key) && [undefined, value].includes(lastingLabels.get(key))

export const isSubset = (part, whole) => Object.entries(part).every(([key, value]) => whole[key] === value)

const matching = (pods, selector) => pods.filter((labels) => isSubset(selector, labels))

const isForInternalPorts = ({ kind, spec }) =>
  kind === 'PodMonitor' || (kind === 'Service' && spec.ports.some(({ targetPort }) => targetPort === 'internal'))

/**
 * Searches at any depth. The selector of a Service has no `matchLabels`. A selector without labels counts as a
 * selector of all pods.
 */
function selectorsIn(spec) {
  if (spec === null || typeof spec !== 'object') return []
  return Object.entries(spec).flatMap(([key, value]) => {
    if (['podSelector', 'labelSelector'].includes(key)) return [value?.matchLabels ?? {}]
    if (key === 'matchLabels') return [value]
    if (key !== 'selector' || value === null || value.matchLabels) return selectorsIn(value)
    return [value.matchExpressions ? {} : value]
  })
}
