import { create } from '@bufbuild/protobuf'
import { expect, test } from '@jest/globals'
import { NotificationLevel, UpdateServerNotificationPreferenceRequestSchema } from '@parley/contracts/api'
import { validate } from './validation.ts'

test.each([
  ['no value or an unknown name', NotificationLevel.UNSPECIFIED, 'not_in'],
  ['an unknown number', 99 as NotificationLevel, 'defined_only'],
])('an enum field with %s is refused, and the error lists the valid values', (_, level, rule) => {
  const request = create(UpdateServerNotificationPreferenceRequestSchema, { level })
  expect(() => validate(UpdateServerNotificationPreferenceRequestSchema, request)).toThrow(
    'level: must be one of NOTIFICATION_LEVEL_DEFAULT, NOTIFICATION_LEVEL_MUTED, NOTIFICATION_LEVEL_NORMAL, ' +
      `NOTIFICATION_LEVEL_ALL_MESSAGES (enum.${rule})`,
  )
})
