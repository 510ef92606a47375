import { isSubset } from './check-selectors.mjs'

const component = 'app.kubernetes.io/component'

/**
 * If uploads uses a video worker, its pod must have neither secrets nor outgoing connections, and only uploads may
 * connect to it.
 */
export function problemsOfVideoWorker(objects) {
  const deployments = objects.filter(({ kind }) => kind === 'Deployment')
  const of = (name) => deployments.find(({ metadata }) => metadata.labels[component] === name)
  const [worker, uploads] = [of('video-worker'), of('uploads')]
  const isUsed = uploads.spec.template.spec.containers[0].env.some(({ name }) => name === 'PARLEY_VIDEO_WORKER_URLS')
  if (isUsed !== (worker !== undefined))
    return ['uploads uses a video worker that does not exist, or does not use the one that does']
  if (!worker) return []
  const problems = []
  const must = (holds, problem) => holds || problems.push(`Deployment ${worker.metadata.name}: ${problem}`)
  const { metadata, spec } = worker.spec.template
  const given = JSON.stringify([spec.containers, spec.volumes])
  must(!/secret|persistentVolumeClaim/i.test(given), 'has a secret or a claim')
  must(spec.containers.length === 1 && !spec.shareProcessNamespace, 'shares its pod with another container')
  const policy = objects.find(
    (object) => object.kind === 'NetworkPolicy' && object.metadata.name === worker.metadata.name,
  )?.spec
  must(policy?.policyTypes.includes('Egress') && policy.egress.length === 0, 'may connect to other pods')
  must(isSubset(policy?.podSelector.matchLabels ?? { none: '' }, metadata.labels), 'no policy applies to it')
  const rule = policy?.ingress.find(({ ports }) => ports.some(({ port }) => port === 'http'))?.from ?? []
  const callers = rule.flatMap(({ podSelector }) =>
    deployments.filter((each) => isSubset(podSelector.matchLabels, each.spec.template.metadata.labels)),
  )
  const only = callers.length === 1 && callers[0] === uploads
  must(only, 'its policy does not admit exactly the pods of uploads')
  return problems
}
