import { expect, test } from '@jest/globals'
import { bool, bytes, duration, int, list, oneOf, port, timerDuration, url } from './kinds.ts'

const doc = 'x'

test.each<[string, { parse: (raw: unknown) => unknown }, unknown, unknown]>([
  ['int from text', int('X', { doc }), ' -12 ', -12],
  ['int from the file', int('X', { doc }), 12, 12],
  ['port 0', port('X', { doc }), '0', 0],
  ['bool on', bool('X', { doc }), 'On', true],
  ['bool 0', bool('X', { doc }), '0', false],
  ['bool from the file', bool('X', { doc }), false, false],
  ['url', url('X', { doc }), 'https://chat.example.org/x', 'https://chat.example.org/x'],
  ['milliseconds', duration('X', { doc }), '250ms', 250],
  ['fractions of a minute', duration('X', { doc }), '1.5m', 90_000],
  ['a duration of a timer', timerDuration('X', { doc }), '24d', 2_073_600_000],
  ['days', duration('X', { doc }), '90d', 7_776_000_000],
  ['bare bytes', bytes('X', { doc }), '512', 512],
  ['bytes from the file', bytes('X', { doc }), 512, 512],
  ['binary size', bytes('X', { doc }), '64 KiB', 65_536],
  ['decimal size', bytes('X', { doc }), '25MB', 25_000_000],
  ['list without its empty elements', list('X', { doc }), 'a,, b,', ['a', 'b']],
  ['list from the file', list('X', { doc }), ['a'], ['a']],
  ['word', oneOf('X', { doc, values: ['on', 'off'] }), 'off', 'off'],
])('a setting is parsed: %s', (_, field, raw, value) => {
  expect(field.parse(raw)).toEqual(value)
})

test('a timer duration above its maximum is rejected, and the message names the maximum', () => {
  expect(() => timerDuration('X', { doc }).parse('25d')).toThrow('is above the maximum of 24d')
  expect(() => timerDuration('X', { doc, max: 60_000 }).parse('2m')).toThrow('is above the maximum of 1m')
})

test.each<[string, { parse: (raw: unknown) => unknown }, unknown]>([
  ['a fraction as int', int('X', { doc }), '1.5'],
  ['an int beyond precision', int('X', { doc }), '9007199254740993'],
  ['a port above 65535', port('X', { doc }), '65536'],
  ['a negative port', port('X', { doc }), -1],
  ['a URL without a scheme', url('X', { doc }), 'example.org'],
  ['a URL without a host', url('X', { doc }), 'localhost:8080'],
  ['a bare number as duration', duration('X', { doc }), 500],
  ['an unknown unit of time', duration('X', { doc }), '5 weeks'],
  ['a prototype name as unit', duration('X', { doc }), '5constructor'],
  ['a duration above its limit', duration('X', { doc, max: 1000 }), '2s'],
  ['an unknown unit of size', bytes('X', { doc }), '5 bananas'],
  ['a list of numbers', list('X', { doc }), [1]],
  ['a list with a bad element', list('X', { doc, pattern: /@/ }), 'a@b,c'],
  ['a list that is too short', list('X', { doc, min: 1 }), ''],
  ['a value that is not in its list', oneOf('X', { doc, values: ['on', 'off'] }), 'OFF'],
])('a setting rejects %s', (_, field, raw) => {
  expect(() => field.parse(raw)).toThrow()
})
