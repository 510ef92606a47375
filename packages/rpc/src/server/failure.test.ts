import { expect, test } from '@jest/globals'
import { describeError } from './failure.ts'

test('an error is described with its cause and without its text in the stack', () => {
  const described = describeError(new TypeError('broken', { cause: new Error('why') }))
  expect(described).toMatchObject({ type: 'TypeError', message: 'broken', cause: { message: 'why' } })
  expect(JSON.stringify((described as { stack: string[] }).stack)).not.toContain('broken')
})

test('a failed statement is described without its parameters', () => {
  const refused = Object.assign(new Error('invalid input: "hunter2"'), {
    severity: 'ERROR',
    code: '22P02',
    detail: 'hunter2',
  })
  const failed = Object.assign(new Error('Failed query: insert\nparams: hunter2', { cause: refused }), {
    query: 'insert',
    params: ['hunter2'],
  })
  const described = describeError(failed)
  expect(JSON.stringify(described)).not.toContain('hunter2')
  expect(described).toMatchObject({ cause: { code: '22P02' } })
})

test('what is no error is described by its type', () => {
  expect(describeError('hunter2')).toBe('string')
})
