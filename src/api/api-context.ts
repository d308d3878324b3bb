/** What the API's middleware knows of a request. */
import type Koa from 'koa';
import type Router from 'koa-router';

export interface ApiState {
  requestId: string;
  /** Aborted when the response is over or its connection lost; listened to before anything is awaited. */
  closed: AbortSignal;
}

export type ApiContext = Koa.ParameterizedContext<ApiState, Router.IRouterParamContext<ApiState>>;
export type ApiMiddleware = Koa.Middleware<ApiState>;
