//! A headless Chromium, spoken to by its debugging protocol over two named pipes.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::skipped::skipped;

/// Longer than anything in a page takes, also on a busy machine.
const PATIENCE: Duration = Duration::from_secs(90);

/// A browser that is ended when it is dropped.
pub struct Browser {
    child: Child,
    requests: File,
    answers: Receiver<Value>,
    next: u64,
    home: PathBuf,
}

/// A tab of the browser.
#[derive(Clone)]
pub struct Tab {
    session: String,
    target: String,
}

impl Browser {
    /// Starts it; none, and said so, where it is not installed or does not run.
    pub fn start(home: &Path) -> Option<Browser> {
        let browser = Browser::started(home);
        if browser.is_none() {
            skipped("no Chromium that runs");
        }
        browser
    }

    fn started(home: &Path) -> Option<Browser> {
        let names = [
            "/usr/bin/chromium",
            "/usr/bin/chromium-browser",
            "/usr/bin/google-chrome",
        ];
        let program = names.into_iter().find(|name| Path::new(name).exists())?;
        let (requests, answers) = (home.join("requests"), home.join("answers"));
        let made = Command::new("mkfifo").args([&requests, &answers]).status();
        assert!(made.unwrap().success());
        let options = "--headless=new --no-sandbox --disable-gpu --no-first-run --hide-scrollbars \
            --disable-background-networking --disable-component-update --disable-dev-shm-usage \
            --remote-debugging-pipe";
        let line = format!("exec {program} {options} --user-data-dir=profile 3<requests 4>answers");
        let mut child = Command::new("sh");
        child
            .arg("-c")
            .arg(line)
            .current_dir(home)
            .stdin(Stdio::null());
        child.stdout(Stdio::null()).stderr(Stdio::null());
        let child = child.spawn().unwrap();
        let requests = File::options().write(true).open(requests).unwrap();
        let answers = File::open(answers).unwrap();
        let (sender, receiver) = channel();
        std::thread::spawn(move || {
            for message in BufReader::new(answers).split(0).map_while(Result::ok) {
                let message = serde_json::from_slice(&message).unwrap_or_default();
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let mut browser = Browser {
            child,
            requests,
            answers: receiver,
            next: 0,
            home: home.to_owned(),
        };
        browser.runs().then_some(browser)
    }

    /// Whether it answers: one that is installed may be unable to start, in a container for example.
    fn runs(&mut self) -> bool {
        let request = b"{\"id\":0,\"method\":\"Browser.getVersion\"}\0";
        self.requests.write_all(request).is_ok() && self.answers.recv_timeout(PATIENCE).is_ok()
    }

    fn call(&mut self, session: Option<&str>, method: &str, params: Value) -> Value {
        self.next += 1;
        let mut request = json!({ "id": self.next, "method": method, "params": params });
        if let Some(session) = session {
            request["sessionId"] = json!(session);
        }
        self.requests
            .write_all(request.to_string().as_bytes())
            .unwrap();
        self.requests.write_all(&[0]).unwrap();
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let answer = self
                .answers
                .recv_timeout(left)
                .expect("the browser answers");
            if answer["method"] == "Runtime.exceptionThrown" {
                panic!("the page fails: {answer}");
            }
            if answer["id"] == self.next {
                assert!(answer.get("error").is_none(), "{method}: {answer}");
                return answer["result"].clone();
            }
        }
    }

    /// Opens a page in a window of its own: tabs that cannot be seen are hidden.
    pub fn open(&mut self, address: &str) -> Tab {
        let made = self.call(
            None,
            "Target.createTarget",
            json!({ "url": "about:blank", "newWindow": true }),
        );
        let target = made["targetId"].as_str().unwrap().to_owned();
        let attached = json!({ "targetId": target, "flatten": true });
        let attached = self.call(None, "Target.attachToTarget", attached);
        let session = attached["sessionId"].as_str().unwrap().to_owned();
        let tab = Tab { session, target };
        self.tell(&tab, "Runtime.enable", json!({}));
        self.tell(&tab, "Page.enable", json!({}));
        self.tell(&tab, "Page.navigate", json!({ "url": address }));
        tab
    }

    /// Closes a tab.
    pub fn close(&mut self, tab: &Tab) {
        self.call(
            None,
            "Target.closeTarget",
            json!({ "targetId": tab.target }),
        );
    }

    fn tell(&mut self, tab: &Tab, method: &str, params: Value) -> Value {
        self.call(Some(&tab.session), method, params)
    }

    /// The value of an expression in the page.
    pub fn value(&mut self, tab: &Tab, expression: &str) -> Value {
        let params =
            json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let found = self.tell(tab, "Runtime.evaluate", params);
        assert!(
            found.get("exceptionDetails").is_none(),
            "{expression}: {found}"
        );
        found["result"]["value"].clone()
    }

    /// Waits until an expression holds.
    pub fn wait(&mut self, tab: &Tab, expression: &str) {
        let deadline = Instant::now() + PATIENCE;
        // While the page loads, nothing holds.
        let whole = format!(
            "(() => {{ try {{ return Boolean({expression}) }} catch {{ return false }} }})()"
        );
        while self.value(tab, &whole) != true {
            if Instant::now() > deadline {
                self.picture(tab, "failed");
                let text = self.value(tab, "document.body.innerText");
                panic!("{expression} does not come true: {text}");
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// The middle of an element that is scrolled into view.
    fn middle(&mut self, tab: &Tab, selector: &str) -> Value {
        let place = format!(
            "(() => {{ const it = document.querySelector({selector:?}); it.scrollIntoView({{ block: 'center' }}); \
             const box = it.getBoundingClientRect(); \
             return [box.x + box.width / 2, box.y + box.height / 2] }})()"
        );
        self.value(tab, &place)
    }

    /// Clicks an element by the mouse.
    pub fn click(&mut self, tab: &Tab, selector: &str) {
        let place = self.middle(tab, selector);
        for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
            let event = json!({ "type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1 });
            self.tell(tab, "Input.dispatchMouseEvent", event);
        }
    }

    /// Touches an element as on a phone.
    pub fn touch(&mut self, tab: &Tab, selector: &str) {
        let place = self.middle(tab, selector);
        let finger = json!([{ "x": place[0], "y": place[1] }]);
        for (kind, fingers) in [("touchStart", finger), ("touchEnd", json!([]))] {
            let event = json!({ "type": kind, "touchPoints": fingers });
            self.tell(tab, "Input.dispatchTouchEvent", event);
        }
    }

    /// Makes the window one of a phone that is touched.
    pub fn become_phone(&mut self, tab: &Tab) {
        self.look(tab, 390, 844, "light");
        let touch = json!({ "enabled": true, "maxTouchPoints": 1 });
        self.tell(tab, "Emulation.setTouchEmulationEnabled", touch);
    }

    /// Presses a key.
    pub fn press(&mut self, tab: &Tab, key: &str) {
        for kind in ["keyDown", "keyUp"] {
            let event = json!({ "type": kind, "key": key, "code": key });
            self.tell(tab, "Input.dispatchKeyEvent", event);
        }
    }

    /// Chooses a file.
    pub fn choose_file(&mut self, tab: &Tab, selector: &str, file: &Path) {
        let root = self.tell(tab, "DOM.getDocument", json!({}));
        let query = json!({ "nodeId": root["root"]["nodeId"], "selector": selector });
        let node = self.tell(tab, "DOM.querySelector", query);
        let files = json!({ "nodeId": node["nodeId"], "files": [file] });
        self.tell(tab, "DOM.setFileInputFiles", files);
    }

    /// Loads the page again.
    pub fn reload(&mut self, tab: &Tab) {
        self.value(tab, "window.isOld = true");
        self.tell(tab, "Page.reload", json!({}));
        self.wait(tab, "!window.isOld && document.readyState === 'complete'");
    }

    /// Size of the window, and colors.
    pub fn look(&mut self, tab: &Tab, width: u32, height: u32, theme: &str) {
        let is_phone = width < 600;
        let size =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": is_phone });
        self.tell(tab, "Emulation.setDeviceMetricsOverride", size);
        let features = json!([{ "name": "prefers-color-scheme", "value": theme }]);
        self.tell(
            tab,
            "Emulation.setEmulatedMedia",
            json!({ "features": features }),
        );
    }

    /// Stores a picture of the window.
    pub fn picture(&mut self, tab: &Tab, name: &str) {
        let shot = self.tell(tab, "Page.captureScreenshot", json!({ "format": "png" }));
        let bytes = decoded(shot["data"].as_str().unwrap());
        std::fs::write(self.home.join(format!("{name}.png")), bytes).unwrap();
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The bytes of a text in Base64.
fn decoded(text: &str) -> Vec<u8> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let bytes = text.bytes().filter(|&byte| byte != b'=');
    let (mut decoded, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for byte in bytes {
        bits = bits << 6 | u32::from(digit(byte));
        count += 6;
        if count >= 8 {
            count -= 8;
            decoded.push((bits >> count) as u8);
        }
    }
    decoded
}
