import { expect, test } from '@jest/globals'
import { rowFor } from './_messages.ts'
import { idOfNewestText } from './newest-text.ts'

test('the newest message of a user that has a text is found', () => {
  const deletedAt = { $typeName: 'google.protobuf.Timestamp', seconds: 1n, nanos: 0 } as const
  const rows = [rowFor('a'), rowFor('b'), rowFor('c', { deletedAt }), rowFor('d', { by: 'U2' })]
  expect([idOfNewestText(rows, 'U1'), idOfNewestText(rows, 'U3')]).toEqual(['b', undefined])
})
