import { expect, test } from '@jest/globals'
import { problemsOfSchemas, versionsFrom, whyNotValidated } from '../deploy/kubeconform.mjs'

const why = whyNotValidated()
if (why) console.log(`kubeconform: skipped: ${why}`)

const pod = (spec) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'pod' }, spec })

;(why ? test.skip : test)('the validation finds unknown keys, wrong types and fields of a later Kubernetes', () => {
  expect(versionsFrom(27).length).toBeGreaterThan(5)
  const containers = [{ name: 'one', image: 'image' }]
  const versions = ['1.27.0', '1.34.0']
  expect(problemsOfSchemas([pod({ containers })], versions)).toEqual([])
  expect(problemsOfSchemas([pod({ containers, unknown: 1 })], versions)).toEqual([
    expect.stringMatching(/^Kubernetes 1.27.0: Pod pod: .*'unknown'/),
    expect.stringMatching(/^Kubernetes 1.34.0: Pod pod: .*'unknown'/),
  ])
  expect(problemsOfSchemas([pod({ containers: 'one' })], versions)).toHaveLength(2)
  // `resources` of a pod was added in Kubernetes 1.32.
  expect(problemsOfSchemas([pod({ containers, resources: { limits: { cpu: '1' } } })], versions)).toHaveLength(1)
})
