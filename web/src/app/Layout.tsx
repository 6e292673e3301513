import { MenuOutlined } from "@ant-design/icons";
import { Button, Drawer, Grid } from "antd";
import { Suspense, useEffect, useRef, useState } from "react";
import { Outlet, useLocation, useNavigation } from "react-router";
import { useStrings } from "@/shared/language";
import { Brand } from "./Brand";
import { DropZone } from "./DropZone";
import { Loading } from "./Loading";
import { ModelBanner } from "./ModelBanner";
import { OfflineBanner } from "./OfflineBanner";
import { Sidebar } from "./Sidebar";
import { appStrings } from "./strings";

/** Navigation at the side, in a drawer on narrow screens; the page's content beside it. */
export function Layout() {
  const t = useStrings(appStrings);
  const wide = Grid.useBreakpoint().lg !== false;
  const [open, setOpen] = useState(false);
  const { pathname } = useLocation();
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);
  const section = pathname.split("/").slice(0, 3).join("/");
  const place = section.startsWith("/chat") ? "/chat" : section;

  // biome-ignore lint/correctness/useExhaustiveDependencies: going anywhere closes the drawer
  useEffect(() => setOpen(false), [pathname]);
  // Screen readers go on at the new page, as they do after a page load; the chat puts the focus in its own input.
  useEffect(() => {
    if (!first.current && place !== "/chat") main.current?.focus();
    first.current = false;
  }, [place]);

  return (
    <div className="frame">
      <a className="skip-link" href="#content">
        {t.skipToContent}
      </a>
      {wide ? (
        <aside className="side">
          <Sidebar />
        </aside>
      ) : (
        <>
          <header className="top-bar">
            <Button
              type="text"
              icon={<MenuOutlined aria-hidden />}
              aria-label={t.openMenu}
              aria-expanded={open}
              onClick={() => setOpen(true)}
            />
            <Brand />
          </header>
          <Drawer
            open={open}
            onClose={() => setOpen(false)}
            placement="left"
            size={300}
            closable={{ "aria-label": t.closeMenu }}
            rootClassName="side-drawer"
            title={<Brand />}
          >
            <Sidebar inDrawer />
          </Drawer>
        </>
      )}
      <DropZone />
      <main id="content" className="content" ref={main} tabIndex={-1}>
        <OfflineBanner />
        <ModelBanner />
        <Going />
        <Suspense fallback={<Loading />}>
          <Outlet />
        </Suspense>
      </main>
    </div>
  );
}

/** A thin line while the next page's code loads. */
function Going() {
  return useNavigation().state === "loading" ? <div className="going" aria-hidden="true" /> : null;
}
