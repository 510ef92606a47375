import { NotificationLevel } from '@parley/client/contract'
import { text } from '../messages/texts.ts'

export const levelNames = (): { value: NotificationLevel; name: string }[] => [
  { value: NotificationLevel.DEFAULT, name: text('level.default') },
  { value: NotificationLevel.ALL_MESSAGES, name: text('level.all') },
  { value: NotificationLevel.NORMAL, name: text('level.normal') },
  { value: NotificationLevel.MUTED, name: text('level.muted') },
]
