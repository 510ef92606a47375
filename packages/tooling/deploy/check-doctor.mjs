import { isDeepStrictEqual } from 'node:util'

const component = 'app.kubernetes.io/component'
const findNamed = (list, name) => list?.find((one) => one.name === name)

/** Each container of the doctor's job must have the same image, settings, volumes and rights as its deployable. */
export function problemsOfDoctor(objects, deployables) {
  const of = (kind, name) =>
    objects.find((one) => one.kind === kind && one.metadata.labels[component] === name)?.spec.template.spec
  const job = of('Job', 'doctor')
  if (!job) return ['the doctor has no job']
  const problems = []
  const must = (holds, problem) => holds || problems.push(`Job doctor: ${problem}`)
  must(job.enableServiceLinks === false, 'lets Kubernetes set PARLEY_ variables')
  must(job.automountServiceAccountToken === false, 'gets a token for Kubernetes')
  must(job.containers.map(({ name }) => name).join() === deployables.join(), 'does not check every deployable')
  const uploads = of('Deployment', 'uploads')
  for (const part of ['serviceAccountName', 'imagePullSecrets', 'nodeSelector', 'tolerations', 'securityContext'])
    must(isDeepStrictEqual(job[part], uploads?.[part]), `its ${part} differs from that of uploads`)
  const hasClaim = job.volumes.some((volume) => volume.persistentVolumeClaim)
  must(
    hasClaim ? requiresNodeOfUploads(job.affinity) : isDeepStrictEqual(job.affinity, uploads?.affinity),
    'may run on a node where the volume of uploads cannot be mounted',
  )
  for (const container of job.containers) {
    const { name, args, volumeMounts } = container
    const own = of('Deployment', name)
    must(args.join(' ') === `operator.mjs doctor ${name}`, `${name} runs ${args.join(' ')}`)
    for (const part of ['env', 'image', 'securityContext'])
      must(
        isDeepStrictEqual(container[part], own?.containers[0][part]),
        `${name}: its ${part} differs from that of the deployable`,
      )
    // The deployable's volume for /tmp is writable, and the doctor needs none.
    const mounts = own?.containers[0].volumeMounts.filter((mount) => mount.name !== 'tmp')
    must(isDeepStrictEqual(volumeMounts, mounts), `${name}: its volumeMounts differ from those of the deployable`)
    for (const mounted of volumeMounts)
      must(
        isDeepStrictEqual(findNamed(job.volumes, mounted.name), findNamed(own?.volumes, mounted.name)),
        `${name}: its volume ${mounted.name} differs from that of the deployable`,
      )
  }
  return problems
}

function requiresNodeOfUploads(affinity) {
  const [term] = affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []
  return term?.topologyKey === 'kubernetes.io/hostname' && term.labelSelector.matchLabels[component] === 'uploads'
}
