import type { Target } from '../../../contract/scenario-config.ts'
import { settleFeeds } from '../feed/feed.ts'
import { isOrdered, isRacing } from '../story/timeline.ts'
import { tellNews } from './news.ts'

/**
 * Waits until what is on its way has come, so that the timeline has it ahead of what is done next. Nothing to wait for
 * where many act at once, or time goes by itself.
 */
export async function quiet(target: Target): Promise<void> {
  if (!isOrdered || isRacing()) return
  await settleFeeds()
  await tellNews(target)
}
