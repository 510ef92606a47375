import { expect, test } from '@jest/globals'
import { examples, problemsOfExamples } from '../deploy/check-examples.mjs'

const find = (objects, kind, name) => objects.find((each) => each.kind === kind && each.metadata.name === name)

test('the check finds no problem in the examples', async () => {
  expect(await problemsOfExamples()).toEqual([])
})

test.each([
  [
    'no policy applies to the Sentinels',
    (objects) => objects.filter((each) => each !== find(objects, 'NetworkPolicy', 'redis')),
    'StatefulSet redis: anybody may connect to it',
  ],
  [
    'a policy allows connections from everywhere',
    (objects) => {
      delete find(objects, 'NetworkPolicy', 'redis-balancer').spec.ingress[0].from
      return objects
    },
    'Deployment redis-balancer: anybody may connect to it',
  ],
  [
    'Sentinels require no password',
    (objects) => {
      const { data } = find(objects, 'ConfigMap', 'redis')
      data['sentinel.sh'] = data['sentinel.sh'].replace(/^requirepass .*$/m, '')
      return objects
    },
    'redis, sentinel.sh: has no requirepass',
  ],
])('the check finds that %s', async (_, change, problem) => {
  expect(await problemsOfExamples(change(examples()))).toEqual([`deploy/examples: ${problem}`])
})
