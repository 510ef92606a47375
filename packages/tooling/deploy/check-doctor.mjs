import { isDeepStrictEqual } from 'node:util'

const component = 'app.kubernetes.io/component'
const named = (list, name) => list?.find((one) => one.name === name)

/** Checks the job of the doctor: each of its containers must see what its deployable sees. */
export function problemsOfDoctor(objects, deployables) {
  const of = (kind, name) =>
    objects.find((one) => one.kind === kind && one.metadata.labels[component] === name)?.spec.template.spec
  const job = of('Job', 'doctor')
  if (!job) return ['there is no job of the doctor']
  const problems = []
  const must = (holds, problem) => holds || problems.push(`Job doctor: ${problem}`)
  must(job.enableServiceLinks === false, 'lets Kubernetes set PARLEY_ variables')
  must(job.automountServiceAccountToken === false, 'gets a token for Kubernetes')
  must(job.containers.map(({ name }) => name).join() === deployables.join(), 'does not check every deployable')
  const uploads = of('Deployment', 'uploads')
  for (const part of ['serviceAccountName', 'imagePullSecrets', 'nodeSelector', 'tolerations', 'securityContext'])
    must(isDeepStrictEqual(job[part], uploads?.[part]), `has another ${part} than uploads`)
  const hasClaim = job.volumes.some((volume) => volume.persistentVolumeClaim)
  must(
    hasClaim ? isBesideUploads(job.affinity) : isDeepStrictEqual(job.affinity, uploads?.affinity),
    'may run where the files of uploads cannot be mounted',
  )
  for (const container of job.containers) {
    const { name, args, volumeMounts } = container
    const own = of('Deployment', name)
    must(args.join(' ') === `operator.mjs doctor ${name}`, `${name} runs ${args.join(' ')}`)
    for (const part of ['env', 'image', 'securityContext'])
      must(isDeepStrictEqual(container[part], own?.containers[0][part]), `${name} has another ${part}`)
    // Nothing that is written in one container may be read in another.
    const mounts = own?.containers[0].volumeMounts.filter((mount) => mount.name !== 'tmp')
    must(isDeepStrictEqual(volumeMounts, mounts), `${name} has other volumeMounts`)
    for (const mounted of volumeMounts)
      must(
        isDeepStrictEqual(named(job.volumes, mounted.name), named(own?.volumes, mounted.name)),
        `${name} mounts another ${mounted.name}`,
      )
  }
  return problems
}

function isBesideUploads(affinity) {
  const [term] = affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []
  return term?.topologyKey === 'kubernetes.io/hostname' && term.labelSelector.matchLabels[component] === 'uploads'
}
