import { expect, test } from '@jest/globals'
import { withToggled } from './reactions.ts'

const shown = (reactions: ReturnType<typeof withToggled>) =>
  reactions.map(({ emoji, count, hasReacted, previewUserIds }) => [emoji, count, hasReacted, previewUserIds])

test('a reaction is added, counted with those of others, and removed again', () => {
  const first = withToggled([], 'tada', 'U1')
  expect(shown(first)).toEqual([['tada', 1, true, ['U1']]])
  const others = [{ ...first[0], emoji: 'eyes', count: 2, hasReacted: false, previewUserIds: ['U2', 'U3'] }]
  const reactions = [...first, ...others] as ReturnType<typeof withToggled>
  expect(shown(withToggled(reactions, 'eyes', 'U1'))).toEqual([
    ['tada', 1, true, ['U1']],
    ['eyes', 3, true, ['U2', 'U3', 'U1']],
  ])
  expect(shown(withToggled(reactions, 'tada', 'U1'))).toEqual([['eyes', 2, false, ['U2', 'U3']]])
})
