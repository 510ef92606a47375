import { create } from '@bufbuild/protobuf'
import { expect, test } from '@jest/globals'
import { EventSchema, GetPolicyResponseSchema, type GetPolicyResponse } from '@parley/contracts/internal'
import { NodePolicy } from './node-policy.ts'

const policyResponse = (revision: bigint) => create(GetPolicyResponseSchema, { revision })
const delta = (id: string, revision: bigint, baseRevision: bigint) =>
  create(EventSchema, { id, fact: { case: 'policy', value: { revision, baseRevision } } })

function newPolicy() {
  const answers: ((policy: GetPolicyResponse) => void)[] = []
  const load = () => new Promise<GetPolicyResponse>((resolve) => answers.push(resolve))
  const policy = new NodePolicy(load, new AbortController().signal)
  const answer = async (revision: bigint) => {
    answers.shift()?.(policyResponse(revision))
    await new Promise(setImmediate)
  }
  return { policy, answer, pendingLoads: () => answers.length }
}

test('a delta with a lower revision causes a load of the restored policy', async () => {
  const { policy, answer, pendingLoads } = newPolicy()
  void policy.reload()
  await answer(90n)
  policy.apply(delta('Ea', 91n, 90n))
  policy.apply(delta('Ea', 91n, 90n))
  expect([policy.current().revision, pendingLoads()]).toEqual([91n, 0])
  policy.apply(delta('Eb', 80n, 79n))
  await answer(80n)
  expect([policy.current().revision, pendingLoads()]).toEqual([80n, 0])
})

test('a load reports a change only if it finds one', async () => {
  const { policy, answer } = newPolicy()
  const changes: string[] = []
  policy.onChange((change) => changes.push(change))
  void policy.reload()
  await answer(90n)
  policy.apply(delta('Ea', 91n, 90n))
  void policy.reload()
  await answer(91n)
  expect(changes).toEqual(['first_load', 'event'])
  void policy.reload()
  await answer(92n)
  expect(changes).toEqual(['first_load', 'event', 'missed_event'])
})

test('a policy that was requested before a delta arrived does not undo the delta', async () => {
  const { policy, answer } = newPolicy()
  void policy.reload()
  await answer(90n)
  void policy.reload()
  policy.apply(delta('Ea', 91n, 90n))
  await answer(90n)
  expect(policy.current().revision).toBe(91n)
  await answer(91n)
  expect(policy.current().revision).toBe(91n)
})
