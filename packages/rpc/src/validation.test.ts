import { create } from '@bufbuild/protobuf'
import { expect, test } from '@jest/globals'
import { NotificationLevel, UpdateServerNotificationPreferenceRequestSchema } from '@parley/contracts/api'
import { validate } from './validation.ts'

test.each([
  ['not given, or by a name that is none', NotificationLevel.UNSPECIFIED, 'not_in'],
  ['a number that is none', 99 as NotificationLevel, 'defined_only'],
])('a value of an enum that is %s is refused, and the error lists the valid ones', (_, level, rule) => {
  const request = create(UpdateServerNotificationPreferenceRequestSchema, { level })
  expect(() => validate(UpdateServerNotificationPreferenceRequestSchema, request)).toThrow(
    'level: must be one of NOTIFICATION_LEVEL_DEFAULT, NOTIFICATION_LEVEL_MUTED, NOTIFICATION_LEVEL_NORMAL, ' +
      `NOTIFICATION_LEVEL_ALL_MESSAGES (enum.${rule})`,
  )
})
