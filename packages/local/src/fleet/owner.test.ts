import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { ensureOwner, forgetPassword, type Owner } from './owner.ts'
import { Secrets } from './secrets.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-owner-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

class Accounts {
  password: string | undefined
  losesResponse = false

  start(password?: string): Promise<Owner> {
    return ensureOwner({ login: 'first', password }, new Secrets(join(folder, 'secrets.json')), async (owner) => {
      const repeated = this.losesResponse
      if (this.losesResponse) this.password ??= owner.password
      this.losesResponse = false
      const created = this.password === undefined
      this.password ??= owner.password
      return { created, login: 'first', repeated }
    })
  }

  print(): void {
    forgetPassword(new Secrets(join(folder, 'secrets.json')))
  }
}

test('a generated password is shown until a start has printed it', async () => {
  const accounts = new Accounts()
  const { password } = await accounts.start()
  expect(password).toBe(accounts.password)
  expect(await accounts.start()).toEqual({ created: false, login: 'first', password })
  accounts.print()
  for (const _ of [1, 2]) expect(await accounts.start()).toEqual({ created: false, login: 'first' })
})

test('a generated password is shown even if the response to the creation of the owner is lost', async () => {
  const accounts = new Accounts()
  accounts.losesResponse = true
  expect(await accounts.start()).toEqual({ created: false, login: 'first', password: accounts.password })
  accounts.print()
  expect(await accounts.start()).toEqual({ created: false, login: 'first' })
})

test('starts show no password that the settings gave', async () => {
  const accounts = new Accounts()
  expect(await accounts.start('from the settings')).toEqual({ created: true, login: 'first' })
  for (const _ of [1, 2]) expect(await accounts.start()).toEqual({ created: false, login: 'first' })
})

test('no password is shown for an owner who existed before the first start', async () => {
  const accounts = new Accounts()
  accounts.password = 'of an imported account'
  for (const _ of [1, 2]) expect(await accounts.start()).toEqual({ created: false, login: 'first' })
})

test('the password of an interrupted start is not shown if the settings gave another', async () => {
  const accounts = new Accounts()
  const interrupted = ensureOwner({ login: 'first' }, new Secrets(join(folder, 'secrets.json')), () =>
    Promise.reject(new Error('stopped')),
  )
  await expect(interrupted).rejects.toThrow('stopped')
  await accounts.start('from the settings')
  expect(await accounts.start()).toEqual({ created: false, login: 'first' })
})
