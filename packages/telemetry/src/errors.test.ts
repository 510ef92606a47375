import { expect, test } from '@jest/globals'
import { describeError } from './errors.ts'

test('the parameters of a failed query are removed from message and stack', () => {
  const cause = Object.assign(new Error('duplicate key'), {
    code: '23505',
    constraint: 'users_email',
    detail: 'Key (email)=(alice@example.org) already exists.',
  })
  const error = new Error('Failed query: insert into t\nparams: hunter2,\n    at alice@example.org', { cause })
  const described = describeError(error)
  expect(described).toMatchObject({
    type: 'Error',
    message: 'Failed query: insert into t',
    cause: { message: 'duplicate key', code: '23505', constraint: 'users_email' },
  })
  expect(JSON.stringify(described)).not.toMatch(/hunter2|alice/)
  expect(described).toHaveProperty(
    'stack',
    expect.stringMatching(/^Error: Failed query: insert into t\n +at .*errors\.test/),
  )
})

test('a thrown object that is no error is described by its type only, and a thrown text by itself', () => {
  expect(describeError({ password: 'hunter2' })).toBe('object')
  expect(describeError('gone')).toBe('gone')
})
