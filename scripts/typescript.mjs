/**
 * Lets Node read this project's TypeScript, with no build step, wherever it is installed: in `node_modules` too, where Node
 * itself would not. A tsconfig.json in the user's folder is about the user's code: its `paths` would lead these imports astray.
 */
import { register } from 'tsx/esm/api'

register({ tsconfig: false })
