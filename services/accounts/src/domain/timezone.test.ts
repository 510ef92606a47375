import { expect, test } from '@jest/globals'
import { timezoneFrom } from './timezone.ts'

test('IANA names of time zones are accepted in any letter case', () => {
  for (const name of ['Europe/Paris', 'America/Argentina/Buenos_Aires', 'Asia/Calcutta', 'UTC', 'Etc/GMT+5'])
    expect(timezoneFrom(name)).toBe(name)
  expect(timezoneFrom('europe/paris')).toBe('Europe/Paris')
})

test('other names are refused as time zones', () => {
  for (const name of ['Mars/Olympus', 'Europe', '+01:00', '../etc/passwd', 'Europe/Paris\0', ' UTC', 'x'.repeat(100)])
    expect(() => timezoneFrom(name)).toThrow('unknown time zone')
})
