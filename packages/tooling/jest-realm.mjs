import { types } from 'node:util'

// Jest runs each test file in a realm of its own, so errors made by Node's core are no `instanceof Error` there,
// though they are in production. This makes them so in tests as well.
const ordinary = Function.prototype[Symbol.hasInstance]
Object.defineProperty(Error, Symbol.hasInstance, {
  value(candidate) {
    return ordinary.call(this, candidate) || (this === Error && types.isNativeError(candidate))
  },
})

// Code under test logs what it is made to suffer; who wants to read that sets the level.
process.env['PARLEY_GENERAL_LOG_LEVEL'] ??= 'silent'
