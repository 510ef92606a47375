import type { MessageInitShape } from '@bufbuild/protobuf'
import type { MessageReactionSchema } from '@parley/contracts/api'
import type { Tally } from '../domain/tally.ts'

export function toReaction({
  emoji,
  count,
  mine,
  firstUserIds,
}: Tally): MessageInitShape<typeof MessageReactionSchema> {
  return { emoji, count, hasReacted: mine, previewUserIds: firstUserIds }
}
