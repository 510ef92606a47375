import { expect, test } from '@jest/globals'
import { golden } from '../deploy/renderings.mjs'

const objectsOf = (name, kind) => golden(name).objects.filter((each) => each?.kind === kind)

test('if uploads stores files on a volume, its old pod stops before the new one starts', () => {
  const recreated = (name) =>
    objectsOf(name, 'Deployment')
      .filter(({ spec }) => spec.strategy?.type === 'Recreate')
      .map(({ metadata }) => metadata.name)
  expect(recreated('plain')).toEqual(['parley-uploads'])
  expect(recreated('full')).toEqual([])
})

test('every process with outgoing connections trusts the given certificate authority', () => {
  const containers = (name) =>
    ['Deployment', 'Job']
      .flatMap((kind) => objectsOf(name, kind))
      // The video worker connects to nothing.
      .filter(({ metadata }) => metadata.name !== 'parley-video-worker')
      .flatMap(({ spec }) => spec.template.spec.containers.map((each) => ({ ...each, pod: spec.template.spec })))
      .filter(({ env = [] }) => env.some((each) => each.name === 'PARLEY_NATS_URL'))
  const trusted = ({ env, volumeMounts, pod }) => ({
    file: env.find(({ name }) => name === 'NODE_EXTRA_CA_CERTS')?.value,
    mounted: volumeMounts.some(({ mountPath }) => mountPath === '/etc/parley-ca'),
    secret: pod.volumes.find(({ name }) => name === 'certificate-authority')?.secret,
  })
  const secret = { secretName: 'own-authority', items: [{ key: 'root.pem', path: 'ca.crt' }] }
  // Nine deployables, seven migrations, and the nine containers of the doctor.
  expect(containers('full').map(trusted)).toEqual(
    Array.from({ length: 25 }, () => ({ file: '/etc/parley-ca/ca.crt', mounted: true, secret })),
  )
  expect(containers('plain').map(trusted)).toEqual(
    Array.from({ length: 25 }, () => ({ file: undefined, mounted: false, secret: undefined })),
  )
})
