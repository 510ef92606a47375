import vm from 'node:vm'
import { TestEnvironment } from 'jest-environment-node'

const { createContext, constants } = vm

/**
 * Jest's environment for Node in an ordinary context. In the contextified one that jest makes, each use of a global
 * (`Object`, `Promise`, `Error`) passes an interceptor and takes fifty times as long.
 */
export default class Environment extends TestEnvironment {
  constructor(...args) {
    vm.createContext = () => createContext(constants.DONT_CONTEXTIFY)
    try {
      super(...args)
    } finally {
      vm.createContext = createContext
    }
  }
}
