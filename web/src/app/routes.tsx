/** Every address of the page. Each page is a chunk of its own, loaded when it is first opened. */
import { createBrowserRouter, type LazyRouteFunction, Navigate, type RouteObject } from "react-router";
import { RequireAdministrator, RequireSession } from "@/auth/RequireSession";
import { BrokenPage } from "./BrokenPage";
import { Layout } from "./Layout";
import { Loading } from "./Loading";
import { NotFound } from "./NotFound";

type PageModule = { default: React.ComponentType };

function page(load: () => Promise<PageModule>): LazyRouteFunction<RouteObject> {
  return async () => ({ Component: (await load()).default });
}

export const router = createBrowserRouter([
  {
    errorElement: <BrokenPage />,
    HydrateFallback: Loading,
    children: [
      { path: "/login", lazy: page(() => import("@/auth/LogInPage")) },
      { path: "/register", lazy: page(() => import("@/auth/RegisterPage")) },
      {
        element: (
          <RequireSession>
            <Layout />
          </RequireSession>
        ),
        children: [
          {
            // One page's failure leaves the navigation usable.
            errorElement: <BrokenPage />,
            children: [
              { index: true, element: <Navigate to="/chat" replace /> },
              { path: "/chat/:conversationId?", lazy: page(() => import("@/chat/ChatPage")) },
              { path: "/documents", lazy: page(() => import("@/documents/DocumentsPage")) },
              { path: "/documents/:documentId/pieces", lazy: page(() => import("@/documents/strategy/PiecesPage")) },
              { path: "/documents/:documentId", lazy: page(() => import("@/documents/DocumentPage")) },
              { path: "/retrieval", lazy: page(() => import("@/retrieval/RetrievalPage")) },
              { path: "/turns", lazy: page(() => import("@/turns/TurnsPage")) },
              { path: "/turns/:turnId", lazy: page(() => import("@/turns/TurnPage")) },
              { path: "/settings", lazy: page(() => import("@/settings/SettingsPage")) },
              {
                path: "/admin",
                element: <RequireAdministrator />,
                children: [
                  { index: true, element: <Navigate to="/admin/users" replace /> },
                  { path: "users", lazy: page(() => import("@/admin/UsersPage")) },
                  { path: "org-tags", lazy: page(() => import("@/admin/OrgTagsPage")) },
                  { path: "domains", lazy: page(() => import("@/admin/DomainsPage")) },
                  { path: "index", lazy: page(() => import("@/admin/indexing/IndexPage")) },
                  { path: "dead-letters", lazy: page(() => import("@/admin/dead-letters/DeadLettersPage")) },
                ],
              },
              { path: "*", element: <NotFound /> },
            ],
          },
        ],
      },
    ],
  },
]);
